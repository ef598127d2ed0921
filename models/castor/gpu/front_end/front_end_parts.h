#pragma once

#include <vector>

#include "castor/gpu/front_end/mounted_hook.h"

namespace castor::gpu {

class DispatchPort;
class Dispatcher;
class FrontEndMemory;
class HookEvents;
class JobInspector;
class JobTable;
class KernelTable;
class LaunchTrees;
class Ledger;
class Observer;
class ParseLanes;
class ParseStage;
class Preemptor;
class ProgramTable;
class Queues;
class RegisterPort;
class ReleaseUnit;
class RetireUnit;
class SmUnit;
class Store;
class Unit;
struct Hooks;

/// What a mechanism may work with: what the front end was given, and its parts. All of it lives as long as the
/// mechanism; no part is used before all are there.
struct FrontEndParts {
  const Machine& machine;
  Store& store;
  const ProgramTable& programs;
  const std::vector<SmUnit*>& sms;
  const Hooks& hooks;
  Observer* observer;  ///< null = none
  HookPlace place;
  Unit& front_end;  ///< to be woken

  LaunchTrees& trees;
  KernelTable& table;
  Ledger& ledger;
  Queues& queues;
  ParseLanes& lanes;
  ParseStage& parse;
  FrontEndMemory& memory;
  HookEvents& events;
  Dispatcher& dispatcher;
  RetireUnit& retire;
  ReleaseUnit& release;
  JobTable& jobs;
  JobInspector& inspector;
  RegisterPort& registers;
  // Mechanisms that others ask.
  DispatchPort& policy;
  Preemptor& preemptor;
};

}  // namespace castor::gpu
