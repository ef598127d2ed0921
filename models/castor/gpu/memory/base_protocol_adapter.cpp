#include "castor/gpu/memory/base_protocol_adapter.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "castor/base/error.h"
#include "castor/gpu/memory/store_access.h"

namespace castor::gpu {
namespace {

/// Returns the first cycle whose time is later than `delay` from now.
Cycle cycle_behind(const SystemTime& system, const base::Clock& clock, const sc_core::sc_time& delay) {
  return clock.first_at_or_after(system.begun(sc_core::sc_time_stamp() + delay) + 1);
}

}  // namespace

// --- OutsideMemoryAdapter
// ---------------------------------------------------------------------------------------------

/// A slice's request while its transactions are outstanding at the external memory.
struct OutsideMemoryAdapter::Job {
  Transaction* transaction = nullptr;
  unsigned port = 0;
  unsigned open_pieces = 0;  // transactions not yet complete
};

/// One external transaction: adjacent sectors of one request.
struct OutsideMemoryAdapter::Piece : tlm::tlm_generic_payload {
  explicit Piece(tlm::tlm_mm_interface* manager) : tlm_generic_payload(manager) {}

  Job* job = nullptr;
  bool last = false;         ///< last piece of its request
  Cycle due = 0;             ///< cycle in which the piece is complete
  std::uint64_t number = 0;  ///< order of the external answers
};

// Memory manager of the pieces; reuses them.
class OutsideMemoryAdapter::Pieces final : public tlm::tlm_mm_interface {
 public:
  Piece& get() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Piece>(this));
      free_.push_back(all_.back().get());
    }
    Piece& piece = *free_.back();
    free_.pop_back();
    piece.acquire();
    return piece;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(static_cast<Piece*>(payload));
  }

 private:
  std::vector<std::unique_ptr<Piece>> all_;
  std::vector<Piece*> free_;
};

OutsideMemoryAdapter::OutsideMemoryAdapter(const sc_core::sc_module_name& name, const Machine& machine,
                                           base::StatisticGroup& parent, unsigned ports, Style style)
    : sc_module(name),
      socket("socket"),
      clock_(base::kilohertz(machine.clock.core_mhz)),
      style_(style),
      pieces_(std::make_unique<Pieces>()),
      ready_(ports),
      group_(parent, basename()),
      reads_(group_, {"reads", "", "outside transactions that read"}),
      writes_(group_, {"writes", "", "outside transactions that write"}),
      bytes_(group_, {"bytes", "bytes", "bytes transferred"}),
      errors_(group_, {"errors", "", "answers other than TLM_OK_RESPONSE"}),
      violations_(group_, {"violations", "", "calls that the base protocol forbids"}) {
  for (unsigned s = 0; s < ports; ++s) {
    ports_.push_back(
        std::make_unique<TargetPort>(("slice" + std::to_string(s)).c_str(), *this, machine.dram.return_queue));
  }
  socket.bind(*this);
  if (style == Style::kBlocking) {
    SC_HAS_PROCESS(OutsideMemoryAdapter);
    SC_THREAD(run_blocking);
  }
}

OutsideMemoryAdapter::~OutsideMemoryAdapter() = default;

void OutsideMemoryAdapter::tick(Cycle now) {
  take_requests(now);
  finish_pieces(now);
  reply(now);
  start_next(now);
  Cycle next = kForever;
  for (const auto& port : ports_) next = std::min(next, port->next_request());
  for (const Piece* piece : responded_) next = std::min(next, piece->due);
  if (!waiting_.empty() && request_ == nullptr) next = std::min(next, now + 1);
  for (unsigned s = 0; s < ports_.size(); ++s) {
    if (!ready_[s].empty()) next = std::min(next, ports_[s]->next_credit());
  }
  sleep_until(next);
}

void OutsideMemoryAdapter::take_requests(Cycle now) {
  for (unsigned s = 0; s < ports_.size(); ++s) {
    while (ports_[s]->request(now) != nullptr) {
      Transaction& transaction = ports_[s]->accept_request(now);
      if (free_jobs_.empty()) {
        jobs_.push_back(std::make_unique<Job>());
        free_jobs_.push_back(jobs_.back().get());
      }
      Job& job = *free_jobs_.back();
      free_jobs_.pop_back();
      job = {&transaction, s, 0};
      ++open_jobs_;
      for (unsigned sectors = transaction.request.sectors; sectors != 0;) {
        const auto first = static_cast<unsigned>(__builtin_ctz(sectors));
        const auto count = static_cast<unsigned>(__builtin_ctz(~(sectors >> first)));
        sectors &= ~(((1U << count) - 1) << first);
        Piece& piece = pieces_->get();
        piece.job = &job;
        piece.last = sectors == 0;
        piece.set_command(transaction.request.is_write() ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        piece.set_address(transaction.line() + first * kSectorBytes);
        piece.set_data_ptr(reinterpret_cast<unsigned char*>(transaction.request.data + first * kSectorBytes));
        piece.set_data_length(count * kSectorBytes);
        piece.set_streaming_width(count * kSectorBytes);
        piece.set_byte_enable_ptr(nullptr);
        piece.set_dmi_allowed(false);
        piece.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        ++job.open_pieces;
        waiting_.push_back(&piece);
      }
    }
  }
}

void OutsideMemoryAdapter::start_next(Cycle now) {
  if (waiting_.empty() || request_ != nullptr) return;
  Piece& piece = *waiting_.front();
  waiting_.pop_front();
  ++(piece.is_read() ? reads_ : writes_);
  bytes_ += piece.get_data_length();
  if (piece.last) ports_[piece.job->port]->release(*piece.job->transaction, now);
  if (style_ == Style::kBlocking) {
    blocking_.push_back(&piece);
    blocking_work_.notify();
    return;
  }
  request_ = &piece;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(piece, phase, delay);
  if (status == tlm::TLM_COMPLETED) {
    if (request_ == &piece) request_ = nullptr;
    complete(piece, delay);
  } else if (status == tlm::TLM_UPDATED) {
    if (phase == tlm::END_REQ) {
      request_ = nullptr;
      wake_from_outside(delay);
    } else if (phase == tlm::BEGIN_RESP) {
      request_ = nullptr;
      complete(piece, delay);
      phase = tlm::END_RESP;
      delay = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(piece, phase, delay);
    } else {
      ++violations_;
    }
  }
}

tlm::tlm_sync_enum OutsideMemoryAdapter::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                         sc_core::sc_time& time) {
  auto& piece = static_cast<Piece&>(payload);
  if (phase == tlm::END_REQ && request_ == &piece) {
    request_ = nullptr;
    wake_from_outside(time);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_RESP && piece.job != nullptr) {
    // A response implies the end of the request phase of the same transaction.
    if (request_ == &piece) request_ = nullptr;
    complete(piece, time);
    return tlm::TLM_COMPLETED;
  }
  ++violations_;
  return tlm::TLM_ACCEPTED;
}

void OutsideMemoryAdapter::complete(Piece& piece, const sc_core::sc_time& delay) {
  if (!piece.is_response_ok()) ++errors_;
  piece.due = cycle_behind(system_, clock_, delay);
  piece.number = responses_++;
  responded_.push_back(&piece);
  wake_from_outside(delay);
}

void OutsideMemoryAdapter::wake_from_outside(const sc_core::sc_time& delay) {
  const Cycle cycle = cycle_behind(system_, clock_, delay);
  wake_at(cycle);
  if (on_wake) on_wake(cycle);
}

void OutsideMemoryAdapter::finish_pieces(Cycle now) {
  const auto due = std::stable_partition(responded_.begin(), responded_.end(),
                                         [now](const Piece* piece) { return piece->due > now; });
  std::sort(due, responded_.end(),
            [](const Piece* a, const Piece* b) { return std::tie(a->due, a->number) < std::tie(b->due, b->number); });
  for (auto piece = due; piece != responded_.end(); ++piece) {
    Job& job = *(*piece)->job;
    (*piece)->job = nullptr;
    (*piece)->release();
    if (--job.open_pieces == 0) ready_[job.port].push_back(&job);
  }
  responded_.erase(due, responded_.end());
}

void OutsideMemoryAdapter::reply(Cycle now) {
  for (unsigned s = 0; s < ports_.size(); ++s) {
    while (!ready_[s].empty()) {
      Job& job = *ready_[s].front();
      const std::uint32_t cost = job.transaction->request.is_write() ? 0 : 1;
      if (!ports_[s]->can_reply(cost, now)) break;
      ports_[s]->reply(*job.transaction, cost, now, now + 1);
      ready_[s].pop_front();
      free_jobs_.push_back(&job);
      --open_jobs_;
    }
  }
}

void OutsideMemoryAdapter::run_blocking() {
  for (;;) {
    while (blocking_.empty()) sc_core::wait(blocking_work_);
    Piece& piece = *blocking_.front();
    blocking_.pop_front();
    sc_core::sc_time delay;
    socket->b_transport(piece, delay);
    sc_core::wait(delay);
    complete(piece, sc_core::SC_ZERO_TIME);
  }
}

bool OutsideMemoryAdapter::idle() const {
  return open_jobs_ == 0 &&
         std::all_of(ports_.begin(), ports_.end(), [](const auto& port) { return port->waiting() == 0; });
}

// --- OutsideMasterAdapter
// ---------------------------------------------------------------------------------------------

/// A transaction of the master while it is being served.
struct OutsideMasterAdapter::Job {
  tlm::tlm_generic_payload* payload = nullptr;
  sc_core::sc_event* done = nullptr;  ///< event for which a blocking call waits; null = nb_transport
  Cycle due = 0;                      // first cycle in which the job may be sent
  std::uint32_t number = 0;           // tag of the job's requests
  unsigned sent = 0;                  ///< bytes whose requests have been sent
  unsigned answered = 0;              ///< bytes whose replies have been received
};

OutsideMasterAdapter::OutsideMasterAdapter(const sc_core::sc_module_name& name, const Machine& machine,
                                           const Store& store, base::StatisticGroup& parent)
    : sc_module(name),
      socket("socket"),
      memory("memory", *this, machine.xbar.fifo_flits),
      clock_(base::kilohertz(machine.clock.core_mhz)),
      store_(store),
      line_(machine.l2.line),
      flit_bytes_(machine.xbar.flit_bytes),
      group_(parent, basename()),
      reads_(group_, {"reads", "", "outside transactions that read"}),
      writes_(group_, {"writes", "", "outside transactions that write"}),
      bytes_(group_, {"bytes", "bytes", "bytes transferred"}),
      errors_(group_, {"errors", "", "transactions answered with an error"}),
      violations_(group_, {"violations", "", "calls that the base protocol forbids"}) {
  socket.bind(*this);
}

OutsideMasterAdapter::~OutsideMasterAdapter() = default;

tlm::tlm_response_status OutsideMasterAdapter::refusal(const tlm::tlm_generic_payload& payload) {
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  const unsigned length = payload.get_data_length();
  if (!payload.is_read() && !payload.is_write()) {
    status = tlm::TLM_COMMAND_ERROR_RESPONSE;
  } else if (payload.get_byte_enable_ptr() != nullptr) {
    status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  } else if (length == 0 || length > kMostBytes || payload.get_streaming_width() < length ||
             payload.get_data_ptr() == nullptr) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  } else if (!store_.contains(payload.get_address(), length)) {
    status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  if (status != tlm::TLM_OK_RESPONSE) ++errors_;
  return status;
}

OutsideMasterAdapter::Job& OutsideMasterAdapter::add_job(tlm::tlm_generic_payload& payload, sc_core::sc_event* done,
                                                         const sc_core::sc_time& delay) {
  auto job = std::make_unique<Job>();
  job->payload = &payload;
  job->done = done;
  job->due = cycle_behind(system_, clock_, delay);
  job->number = next_number_++;
  ++(payload.is_read() ? reads_ : writes_);
  bytes_ += payload.get_data_length();
  jobs_.push_back(std::move(job));
  wake_at(jobs_.back()->due);
  if (on_wake) on_wake(jobs_.back()->due);
  return *jobs_.back();
}

tlm::tlm_sync_enum OutsideMasterAdapter::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                         sc_core::sc_time& time) {
  if (phase == tlm::BEGIN_REQ) {
    if (request_ != nullptr) {
      ++violations_;
      payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      return tlm::TLM_COMPLETED;
    }
    const tlm::tlm_response_status status = refusal(payload);
    if (status != tlm::TLM_OK_RESPONSE) {
      payload.set_response_status(status);
      return tlm::TLM_COMPLETED;
    }
    if (payload.has_mm()) payload.acquire();
    request_ = &payload;
    add_job(payload, nullptr, time);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_RESP && responding_ != nullptr && responding_->payload == &payload) {
    finish(*responding_);
    responding_ = nullptr;
    if (!answered_.empty()) {
      const Cycle cycle = cycle_behind(system_, clock_, time);
      wake_at(cycle);
      if (on_wake) on_wake(cycle);
    }
    return tlm::TLM_COMPLETED;
  }
  ++violations_;
  return tlm::TLM_ACCEPTED;
}

void OutsideMasterAdapter::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) {
  const tlm::tlm_response_status status = refusal(payload);
  if (status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return;
  }
  sc_core::sc_event done;
  add_job(payload, &done, time);
  sc_core::wait(done);
  time = sc_core::SC_ZERO_TIME;
}

unsigned OutsideMasterAdapter::transport_dbg(tlm::tlm_generic_payload& payload) {
  return debug_access(store_, payload);
}

void OutsideMasterAdapter::tick(Cycle now) {
  take_replies(now);
  send_next(now);
  respond();
  Cycle next = memory.next_reply() == kForever ? kForever : std::max(memory.next_reply(), now + 1);
  const Job* const unsent = first_unsent();
  if (blocked_) {
    next = std::min(next, memory.next_credit());
  } else if (unsent != nullptr) {
    next = std::min(next, std::max(unsent->due, now + 1));
  }
  if (!answered_.empty() && responding_ == nullptr) next = std::min(next, now + 1);
  sleep_until(next);
}

void OutsideMasterAdapter::take_replies(Cycle now) {
  while (memory.reply(now) != nullptr) {
    Transaction& reply = memory.take_reply(now);
    const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                    [&reply](const auto& job) { return job->number == reply.request.tag; });
    CASTOR_ASSERT(found != jobs_.end(), "a memory reply without an outstanding request");
    Job& job = **found;
    const std::uint64_t from = std::max<std::uint64_t>(job.payload->get_address(), reply.line());
    const std::uint64_t to =
        std::min<std::uint64_t>(job.payload->get_address() + job.payload->get_data_length(), reply.line() + line_);
    if (job.payload->is_read()) {
      std::memcpy(job.payload->get_data_ptr() + (from - job.payload->get_address()),
                  reply.request.data + (from - reply.line()), to - from);
    }
    reply.release();
    job.answered += static_cast<unsigned>(to - from);
    if (job.answered == job.payload->get_data_length()) answered_.push_back(&job);
  }
}

OutsideMasterAdapter::Job* OutsideMasterAdapter::first_unsent() const {
  for (const auto& job : jobs_) {
    if (job->sent != job->payload->get_data_length()) return job.get();
  }
  return nullptr;
}

void OutsideMasterAdapter::send_next(Cycle now) {
  blocked_ = false;
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [](const auto& job) { return job->sent != job->payload->get_data_length(); });
  if (found == jobs_.end() || (*found)->due > now) return;
  Job& job = **found;
  const tlm::tlm_generic_payload& payload = *job.payload;
  const std::uint64_t from = payload.get_address() + job.sent;
  const std::uint64_t line = from / line_ * line_;
  const std::uint64_t to = std::min<std::uint64_t>(payload.get_address() + payload.get_data_length(), line + line_);
  const auto first = static_cast<unsigned>(from - line);
  const auto size = static_cast<unsigned>(to - from);
  Transaction& transaction = pool_.get();
  MemoryRequest& request = transaction.request;
  request.kind = payload.is_write() ? RequestKind::kStore : RequestKind::kLoad;
  request.client = Client::kHost;
  request.entry = kNoKernelEntry;
  request.tag = job.number;
  for (unsigned sector = first / kSectorBytes; sector <= (first + size - 1) / kSectorBytes; ++sector) {
    request.sectors |= static_cast<std::uint8_t>(1U << sector);
  }
  if (payload.is_write()) {
    for (unsigned byte = first; byte < first + size; ++byte) {
      request.byte_mask[byte / 64] |= std::uint64_t{1} << byte % 64;
    }
    std::memcpy(request.data + first, payload.get_data_ptr() + job.sent, size);
  }
  transaction.prepare(line);
  const std::uint32_t cost = flits(request.request_bytes(), flit_bytes_);
  if (!memory.can_send(cost, now)) {
    transaction.release();
    blocked_ = true;
    return;
  }
  request.issued = now;
  memory.send(transaction, cost, now, now + 1);
  job.sent += size;
  if (job.sent == payload.get_data_length() && request_ == &payload) end_request();
}

void OutsideMasterAdapter::end_request() {
  tlm::tlm_generic_payload& payload = *request_;
  request_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time zero;
  socket->nb_transport_bw(payload, phase, zero);
}

void OutsideMasterAdapter::respond() {
  while (!answered_.empty() && responding_ == nullptr) {
    Job& job = *answered_.front();
    job.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    if (job.done != nullptr) {
      answered_.pop_front();
      job.done->notify();
      finish(job);
      continue;
    }
    answered_.pop_front();
    responding_ = &job;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time zero;
    const tlm::tlm_sync_enum status = socket->nb_transport_bw(*job.payload, phase, zero);
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
      responding_ = nullptr;
      finish(job);
    }
    return;  // at most one response per cycle
  }
}

void OutsideMasterAdapter::finish(Job& job) {
  if (job.done == nullptr && job.payload->has_mm()) job.payload->release();
  jobs_.erase(std::find_if(jobs_.begin(), jobs_.end(), [&job](const auto& other) { return other.get() == &job; }));
}

bool OutsideMasterAdapter::idle() const { return jobs_.empty(); }

}  // namespace castor::gpu
