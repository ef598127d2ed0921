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
class ReleaseUnit;
class RetireUnit;
class SmUnit;
class Store;
class Unit;
struct Hooks;

/// Arguments of a mechanism's constructor: what the front end was constructed with, and the parts of the front end. All
/// references outlive the mechanism. A mechanism uses no part before all parts are constructed.
struct FrontEndParts {
  const Machine& machine;
  Store& store;
  const ProgramTable& programs;
  const std::vector<SmUnit*>& sms;
  const Hooks& hooks;
  Observer* observer;  ///< null if no observer is attached
  HookMount place;
  Unit& front_end;  ///< woken when a mechanism has work

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
  // Mechanisms that other parts query.
  DispatchPort& policy;
  Preemptor& preemptor;
};

}  // namespace castor::gpu
