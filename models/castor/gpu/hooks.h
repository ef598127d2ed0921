#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/unit.h"

/// The seven places where a hardware block plugs into the GPU (docs/gpu.md, "Hooks"). The GPU knows no block: an
/// adapter in `hookup` implements one of these interfaces over a block's twin. An absent hook is a null pointer, the
/// machine then uses its built-in behaviour.
namespace castor::gpu {

using WarpMask = std::uint64_t;  ///< bit = warp slot of one SM
using TbMask = std::uint64_t;    ///< bit = TB context of one SM
using SmMask = std::uint64_t;    ///< bit = SM
using LaneMask = isa::LaneMask;
inline constexpr std::size_t kMaxQueues = 128;
inline constexpr std::size_t kMaxEntries = 256;  ///< kernel table
inline constexpr std::size_t kMaxSources = 4096;
using QueueMask = std::bitset<kMaxQueues>;
using KdMask = std::bitset<kMaxEntries>;      ///< bit = kernel table entry
using SourceMask = std::bitset<kMaxSources>;  ///< queues, pending pool, suspended list, then lists per (SM, level)
inline constexpr SmMask kAllSms = ~SmMask{0};
inline constexpr unsigned kMaxSchedulers = 4;
inline constexpr unsigned kMaxPicks = 5;   ///< per scheduler: 2 with issue.warps 2, 5 classes on 64 lanes
inline constexpr unsigned kMaxDecode = 4;  ///< instructions of one decode group
inline constexpr unsigned kMaxIssue = kMaxSchedulers * 2;
inline constexpr unsigned kMaxOperands = 6;  ///< source registers of one instruction

template <class T>
using Maybe = std::optional<T>;

/// Pointer and size; valid during the call only.
template <class T>
struct View {
  const T* data = nullptr;
  std::size_t size = 0;
  [[nodiscard]] const T* begin() const { return data; }
  [[nodiscard]] const T* end() const { return data + size; }
  [[nodiscard]] bool empty() const { return size == 0; }
  const T& operator[](std::size_t i) const { return data[i]; }
};

struct Machine;
class Waves;
class MemoryClient;
class Ledger;

/// What a hook gets once, when the machine is built.
struct HookSite {
  const Machine* machine = nullptr;
  MemoryClient* memory = nullptr;  ///< the front end's; null for hooks inside an SM
  unsigned sm = 0;                 ///< hooks inside an SM: which
  base::StatisticGroup* statistics = nullptr;
  std::function<void(unsigned code, std::uint64_t info)> error;  ///< stops the kernel; the host sees code and info
};

/// A clocked machine with the grammar of the twins. It may read its `In`, its own state and the constants of its
/// HookSite; it must not keep references into `In`, call back into the platform (the memory client excepted), allocate,
/// do I/O, or depend on anything else.
class Hook {
 public:
  virtual ~Hook() = default;
  virtual void attach(const HookSite& site) = 0;
  /// Adds what waves show of the hook, in scopes below `scope`; sampled behind cycles in which some unit ticked.
  virtual void add_waves(Waves& /*waves*/, const std::string& /*scope*/) {}
  /// The machine ends before the hook does: what `attach` gave must not be used any more.
  virtual void detach() {}
  virtual void reset() = 0;
  /// Coming edges that change no output while all inputs stay idle; a lower bound. 0 (clock me) is always right,
  /// kForever = asleep.
  [[nodiscard]] virtual Cycle quiet() const = 0;
  /// Whatever this hook still does by itself, while its inputs rest, will let nothing proceed: if nothing else happens
  /// either, that is a deadlock. False is always right. A hook with periodic work that wakes it for ever says more.
  [[nodiscard]] virtual bool inert() const { return quiet() == kForever; }
  /// Number of the register window that it serves (gpu::Block); -1 = none.
  [[nodiscard]] virtual int window() const { return -1; }
  /// Exactly n such edges, n <= quiet(): events none, levels as in the last In.
  virtual void idle(Cycle n) = 0;
};

template <class In, class Out>
class ClockedHook : public Hook {
 public:
  /// Outputs of this cycle; no observable change of state. May be called twice in a cycle with a growing `In`; an
  /// output marked early depends on state only.
  virtual const Out& settle(const In& in) = 0;
  /// The edge that ends this cycle; `in` now also holds what the platform did.
  virtual void clock(const In& in) = 0;
};

// --- Records that several hooks see ---------------------------------------------------------------------------------

/// A choice: the next TB of an item goes to an SM.
struct Placement {
  static constexpr std::uint8_t kAnySm = 0xff;  ///< the platform's round robin chooses among fitting SMs
  std::uint16_t kd = 0;                         ///< kernel table entry
  std::uint32_t agei = 0;                       ///< group, 0 = the kernel itself
  std::uint8_t sm = kAnySm;
  std::uint8_t level = 0;
  std::uint32_t position = 0;  ///< inside the item; the entry's order source turns it into the TB id
  bool linear = false;         ///< the policy keeps no odometer: the SM divides to get block indices
};

struct TbEvent {
  std::uint8_t sm = 0, slot = 0;
  std::uint16_t kd = 0, queue = 0;
  std::uint8_t kid = 0;
  std::uint32_t agei = 0, gid = 0;
  bool first = false, last = false;  ///< placed: the kernel's first TB, no TB left
};

/// Something that can be distributed: a kernel, or a group attached to one.
struct WorkItem {
  std::uint16_t kd = 0, queue = 0;
  std::uint8_t kid = 0, level = 0, parent_sm = 0;
  std::uint32_t agei = 0, tbs = 0;
  Dim3 grid;
  std::uint64_t param = 0;
  TbNeed need;
};

struct KernelEvent {
  std::uint16_t kd = 0, queue = 0;
  std::uint8_t kid = 0;
  bool queue_empty = false, tree_done = false;  ///< of completions
};

/// Facts of this cycle, at most one of each unless it is a view.
struct FrontEvents {
  Maybe<TbEvent> placed, done;            ///< done = drained completion
  View<TbEvent> retired;                  ///< wires, at most one per SM
  Maybe<KernelEvent> started, completed;  ///< entry written; own completion
  Maybe<WorkItem> pushed;
  Maybe<RegisterAccess> reg;  ///< for the window that the hook serves; held until the cycle in which it replies
};

/// What one SM did in one cycle; a message, so one cycle old when it is seen.
struct SmPulse {
  std::uint16_t lanes = 0;             ///< active lanes issued
  std::uint8_t l1_primary_misses = 0;  ///< read misses that created a request
  bool memory_stall = false;           ///< no scheduler issued and at least one waits for memory
  std::uint16_t outstanding = 0;       ///< L1 MSHRs in use and bypassing reads under way
  [[nodiscard]] bool operator==(const SmPulse& other) const {
    return lanes == other.lanes && l1_primary_misses == other.l1_primary_misses && memory_stall == other.memory_stall &&
           outstanding == other.outstanding;
  }
  [[nodiscard]] bool operator!=(const SmPulse& other) const { return !(*this == other); }
};

/// The ledger's view of one SM.
struct SmLoad {
  std::uint8_t warps = 0, tbs = 0;
  bool in_flight = false;  ///< a TB is on its way
};

/// Table SM x entry of allowed resident TBs.
struct Quota {
  static constexpr std::uint8_t kUnlimited = 0xff;
  unsigned entries = 0;
  const std::uint8_t* allowed = nullptr;  ///< [sm * entries + kd]
};

struct MemoryReply {
  std::uint32_t tag = 0;
  std::uint8_t bytes = 0;
  std::array<std::byte, 128> data{};
};

// --- JobScheduler: which source enters the kernel table next; is a new job admitted
// ------------------------------------

/// One beat of a job's announcement: a header, or one element of its list of kernels.
struct JobBeat {
  bool header = true;
  std::uint16_t queue = 0;
  std::uint32_t deadline = 0;  ///< cycles, all ones = none
  std::uint64_t start = 0;     ///< cycle of the submission, 48 bits
  bool append = false;
  std::uint8_t kernel_types = 0;  ///< list beats announced
  bool fits = false;              ///< the job's first kernel would fit entirely now
  std::uint8_t kid = 0;           ///< element: kernel type
  std::uint32_t groups = 0;       ///< element: TBs, 24 bits
  bool last = false;              ///< element: last of this header
  bool own = false;               ///< header: the front end announces kernels for which nobody else will
};
struct Verdict {
  std::uint16_t queue = 0;
  bool accept = true;
  std::uint8_t reason = 0;
  std::uint32_t estimate = 0;
};
struct JobEnd {
  std::uint16_t queue = 0;
  bool met = false;
  std::uint32_t latency = 0;  ///< cycles from its start
};
struct JobIn {
  Cycle now = 0;
  const SourceMask* eligible = nullptr;  ///< registered
  Maybe<JobBeat> beat;                   ///< held until it is taken; none unless the scheduler judges
  bool verdict_ready = false;            ///< a verdict of this cycle is taken; always, if the scheduler judges
  FrontEvents ev;
  const KdMask* fits = nullptr;  ///< entries whose next TB fits somewhere
  int granted = -1;              ///< clock only: the source that a lane took
};
struct JobOut {
  bool beat_ready = true;
  Maybe<Verdict> verdict;
  int pick = -1;      ///< source, -1 = none
  QueueMask preempt;  ///< while set: nothing of the queue is placed; its TBs are saved, or drain
  Maybe<JobEnd> end;  ///< counted (statistics jobs_ended, jobs_met)
  bool irq = false;   ///< level; FrontEnd::interrupt
  Maybe<RegisterReply> reg;
};
/// One per GPU; settle in step F8, clock in F10 of the front end's cycle.
class JobScheduler : public ClockedHook<JobIn, JobOut> {
 public:
  /// Jobs are announced to it, and no kernel is granted that does not belong to one it has accepted.
  [[nodiscard]] virtual bool judges() const { return false; }
};

// --- LaunchUnit: what becomes of a launch made by device code, up to its attachment to a kernel
// ------------------------

struct LaunchBeat {
  std::uint8_t sm = 0, warp = 0, lane = 0;
  std::uint8_t kind = 0;  ///< 0 kernel, 1 group
  bool first = true, last = true;
  std::uint64_t pc = 0;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::uint64_t param = 0;
  std::uint64_t record = 0;  ///< address of the launch descriptor
  std::uint8_t level = 0, parent_sm = 0;
};
/// What identifies the kernel of a table entry for a launch unit, as of the start of the cycle.
struct KdKey {
  bool written = false;
  std::uint64_t pc = 0;
  Dim3 block;
  std::uint32_t shared_bytes = 0;
};
struct Fallback {
  std::uint64_t descriptor = 0;
  Cycle extra_delay = 0;
  std::uint8_t level = 0, parent_sm = 0;
};
struct LaunchIn {
  Cycle now = 0;
  Maybe<LaunchBeat> beat;  ///< none: device code launches nothing
  View<KdKey> keys;        ///< [entry]
  bool attach_taken = false, fallback_taken = false;
  Maybe<MemoryReply> reply;
  FrontEvents ev;
};
struct LaunchOut {
  bool beat_ready = true;
  Maybe<WorkItem> attach;
  Maybe<Fallback> fallback;
  KdMask hold;  ///< combinational on keys and beat
};
/// One per GPU; settle in F6, clock in F10.
using LaunchUnit = ClockedHook<LaunchIn, LaunchOut>;

// --- DispatchPolicy: which TB of which item goes to which SM now
// ------------------------------------------------------

struct DispatchIn {
  Cycle now = 0;
  const Ledger* room = nullptr;  ///< free room per SM, placements in flight subtracted
  const KdMask* fits = nullptr;  ///< entries whose next TB fits an open SM under quota
  SmMask open = kAllSms;
  const Quota* quota = nullptr;
  Maybe<WorkItem> push;
  bool taken = false;  ///< clock only: the offer of this cycle was placed
  Maybe<MemoryReply> reply;
  FrontEvents ev;
};
struct DispatchOut {
  bool push_ready = true;  ///< early
  Maybe<Placement> place;
  KdMask hold;                          ///< early: entries that must not be released
  bool ready = false, waiting = false;  ///< a TB is ready; work waits
  SmMask fits_head = 0;                 ///< SMs on which the current item fits
  SmMask bound_wait = 0;                ///< SMs to which waiting TBs are bound
};
/// Exactly one per GPU (the built-in one if no block is plugged in); settle in F5, clock in F10.
using DispatchPolicy = ClockedHook<DispatchIn, DispatchOut>;

// --- SmGovernor: what may an SM take, does its clock run
// ---------------------------------------------------------------

struct GovernIn {
  Cycle now = 0;
  View<SmPulse> pulse;
  View<SmLoad> load;
  SmMask fits_head = 0, bound_wait = 0;
  bool ready = false, waiting = false;
  FrontEvents ev;
};
struct GovernOut {
  SmMask open = kAllSms;
  const Quota* quota = nullptr;
  SmMask clock_enable = kAllSms;  ///< of the next cycle
  bool uncore_enable = true;
};
/// Any number; settle in F4, clock in F10; outputs depend on state only.
using SmGovernor = ClockedHook<GovernIn, GovernOut>;

// --- FetchFilter: may a warp be fetched, is an instruction skipped, which rows does it read
// ----------------------------

struct DecodeSlot {
  std::uint8_t mark = 0;  ///< redundancy mark of the compiler
  std::uint8_t ndst = 0;
  std::uint8_t dst[2] = {};
  std::uint8_t load_kind = 0;
};
/// Instructions of one warp whose fetch has arrived and that are decoded in this tick.
struct DecodeGroup {
  bool valid = false;
  std::uint8_t warp = 0;
  std::uint8_t count = 0;  ///< instructions, slots 0 to count - 1
  std::uint64_t pc = 0;    ///< slot s is at pc + 8 s
  DecodeSlot slot[kMaxDecode];
};
struct IssueSlot {
  std::uint8_t warp = 0;
  bool lead = false;
  std::uint8_t tag[2] = {};
  std::uint8_t ndst = 0, dst[2] = {};
  std::uint8_t nsrc = 0, src[kMaxOperands] = {};
};
struct RowEvent {
  std::uint8_t tb = 0, tag = 0;
};
/// A TB starts on an SM, or comes back.
struct TbStartEvent {
  std::uint8_t tb = 0;
  WarpMask warps = 0, full = 0;  ///< all warps; those whose lanes are all started
  std::uint32_t gid = 0;
  std::uint16_t entry = 0;
  bool enable = false, promote = false;
  std::uint16_t base = 0, rows = 0, slots = 0;  ///< pool of spare rows
};
enum class DecodeAct : std::uint8_t { kPass, kLead, kPrivate, kSquash };
struct IssueRename {
  std::int16_t src_row[kMaxOperands] = {-1, -1, -1, -1, -1, -1};  ///< -1 = own register
  bool reuse = false;
};
struct CopyRequest {
  std::uint8_t warp = 0;
  std::uint16_t row = 0;
  std::uint8_t slot = 0;
};
struct FetchIn {
  Cycle now = 0;
  WarpMask eligible = 0;
  const std::uint64_t* pc = nullptr;  ///< [warp]
  DecodeGroup decode;
  View<IssueSlot> issued;
  View<RowEvent> written;
  WarpMask oc_idle = 0;  ///< no issued instruction of the warp has operands to read
  TbMask stores = 0;
  bool global_op = false;
  WarpMask branch = 0, taken = 0, leave = 0, exit = 0;
  TbMask barrier = 0;
  WarpMask barrier_join = 0;
  Maybe<std::uint8_t> retire;
  Maybe<TbStartEvent> start;
  bool copy_ack = false;
};
struct FetchOut {
  WarpMask hold = 0;  ///< early
  WarpMask skip = 0, ghost = 0;
  DecodeAct act[kMaxDecode] = {};
  std::uint8_t tag[2] = {};
  IssueRename rename[kMaxIssue];
  Maybe<CopyRequest> copy;  ///< early
  bool again = false;
};
/// One per SM; settle in S5, clock in S9 of the SM's tick.
using FetchFilter = ClockedHook<FetchIn, FetchOut>;

// --- IssuePolicyHook: which warp issues in each scheduler
// --------------------------------------------------------------

struct BarrierArrival {
  std::uint8_t scheduler = 0, warp = 0, tb = 0, barrier = 0;
};
struct WarpExit {
  std::uint8_t scheduler = 0, warp = 0, tb = 0;
};
struct IssueIn {
  Cycle now = 0;
  WarpMask valid = 0, ready = 0, long_wait = 0;
  WarpMask unblock = 0;                ///< warps whose barrier completes in this tick, those that arrived in it too
  const std::uint8_t* tb = nullptr;    ///< [warp] TB context
  const std::uint32_t* age = nullptr;  ///< [warp] start cycle of its TB
  View<BarrierArrival> arrive;         ///< warps that wait from now on; not those whose barrier completes in this tick
  View<WarpExit> exit;
  Maybe<TbStartEvent> start;
  Maybe<std::uint8_t> free;
  bool kernel_start = false;
  /// Where issue.warps is 5: warps whose head is of issue class j (compute, global memory, shared memory, control,
  /// sync).
  std::array<WarpMask, kMaxPicks> issue_class{};
  std::array<std::uint8_t, kMaxPicks> ack{};  ///< clock only: bit s of [j] = scheduler s really issued its pick j
};
struct IssueOut {
  std::uint8_t barrier_ok = 0xff;  ///< early: bit per scheduler
  /// [s][j] = warp, -1 = none: j-th choice of scheduler s, issue.warps of them; where that is 5, of issue class j.
  std::int8_t pick[kMaxSchedulers][kMaxPicks];
};
/// One per SM, all schedulers; settle first in S5, clock in S9.
using IssuePolicyHook = ClockedHook<IssueIn, IssueOut>;

// --- SyncController: who blocks at a grid barrier, wait or signal, who is released, which TB is swapped
// -----------------

/// Opaque to the platform; the network gives one message per SM, direction and cycle.
struct SyncMessage {
  std::uint8_t kind = 0;
  std::array<std::byte, 28> payload{};
};
struct SyncIssue {
  std::uint8_t scheduler = 0, warp = 0, tb = 0, op = 0;
  std::uint32_t event = 0, target = 0;
  bool uniform = true;
  LaneMask active = 0, live = 0;
  std::uint8_t site = 0;
};
struct KernelLaunch {
  std::uint16_t kd = 0;
  std::uint64_t tbs = 0;
  TbNeed need;
  std::uint32_t flags = 0;
};
struct SwapAccess {
  enum class What : std::uint8_t { kRegister, kShared, kReadOnlyShared, kSimt };
  bool store = false, local = false;
  What what = What::kRegister;
  std::uint8_t warp = 0, slot = 0;
  std::uint16_t reg = 0, line = 0, home = 0;
  std::uint64_t address = 0;  ///< or on-chip place
};
struct TbMove {
  enum class What : std::uint8_t { kVacate, kEnter, kReady };
  What what = What::kVacate;
  std::uint8_t slot = 0;
  std::uint32_t gid = 0;
  std::uint32_t stays = 0;
};
struct PageRequest {
  std::uint8_t kind = 0;
};
struct PageGrant {
  std::uint64_t address = 0;
};
struct ReadOnlyWrite {
  std::uint8_t tb = 0;
  std::uint32_t offset = 0;
};
struct NextTb {
  std::uint16_t kd = 0;
  std::uint32_t gid = 0;
};
struct OrderFeed {
  std::uint16_t kd = 0;
  std::uint32_t gid = 0;
};
struct HubRequest {
  bool write = false;
  std::uint64_t address = 0;
  std::uint32_t value = 0;
  std::uint8_t bytes = 0;
};
struct LedgerDelta {
  std::uint8_t sm = 0;
  std::uint16_t kd = 0;
};
struct AgentIn {
  Cycle now = 0;
  View<SyncIssue> issued;
  View<WarpExit> exit;
  Maybe<TbStartEvent> start;
  TbMask quiesced = 0;
  int fit = 0;
  Maybe<SyncMessage> rx;
  bool tx_ready = false;
  bool swap_ready = false, swap_ack = false, enter_ready = false;
  std::uint16_t outstanding = 0;
  Maybe<PageGrant> page;
  Maybe<ReadOnlyWrite> read_only;
  Maybe<KernelLaunch> launch;
};
struct AgentOut {
  std::uint8_t issue_ready = 0xff;
  WarpMask stall = 0;  ///< early
  Maybe<SyncMessage> tx;
  TbMask acquire = 0;
  Maybe<SwapAccess> swap;
  Maybe<PageRequest> page;
  std::uint8_t block_memory = 0;
  Maybe<TbMove> move;
};
struct HubIn {
  Cycle now = 0;
  View<Maybe<SyncMessage>> rx;
  SmMask tx_ready = 0;
  Maybe<NextTb> undispatched;
  bool fill_done = false;
  Maybe<MemoryReply> reply;
  Maybe<KernelLaunch> launch;
  FrontEvents ev;
};
struct HubOut {
  SmMask rx_ready = 0;
  View<Maybe<SyncMessage>> tx;
  bool pop_undispatched = false;
  Maybe<OrderFeed> order;
  Maybe<HubRequest> request;
  Maybe<LedgerDelta> credit;
  Maybe<KernelEvent> finished;
};
using SyncAgent = ClockedHook<AgentIn, AgentOut>;  ///< one per SM; settle in S5, clock in S9
using SyncHub = ClockedHook<HubIn, HubOut>;        ///< one per GPU; settle in F3, clock in F10

/// A synchronisation scheme: an agent in every SM and a hub beside the dispatcher, joined by the platform's network.
class SyncController {
 public:
  enum class Claim : std::uint8_t { kNone, kSleeps, kOwnsRefill };
  virtual ~SyncController() = default;
  [[nodiscard]] virtual Claim claims(const KernelLaunch& launch, const Ledger& ledger) const = 0;
  /// Why a launch is refused, or empty.
  [[nodiscard]] virtual Maybe<std::string> admit(const KernelLaunch& launch, const Ledger& ledger) const = 0;
  virtual SyncAgent& agent(unsigned sm) = 0;
  virtual SyncHub& hub() = 0;
};

/// The hooks of one device; null = built in. Not owned.
struct Hooks {
  JobScheduler* job_scheduler = nullptr;
  LaunchUnit* launch_unit = nullptr;
  DispatchPolicy* dispatch = nullptr;
  std::vector<SmGovernor*> governors;
  std::vector<FetchFilter*> fetch_filter;  ///< empty, or one per SM
  std::vector<IssuePolicyHook*> issue;     ///< empty, or one per SM
  std::vector<SyncController*> sync;       ///< routed by opcode
};

}  // namespace castor::gpu
