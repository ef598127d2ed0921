#include "unit/tb_swap/shadow.h"

#include <algorithm>

#include "tb/tb_swap/entry.h"

namespace castor::tb_swap::reference {
namespace {

using tb::get;

/// Returns the number by which a parked thread block is found.
U64 key_of(const Entry& entry) { return get(entry, tb::kSimtLine) | get(entry, tb::kSimtLoc) << 63U; }

}  // namespace

void Shadow::check(bool holds, const std::string& what) {
  if (holds || problems_.size() > 2000) return;
  problems_ += "cycle " + std::to_string(cycle_) + ": " + what + "\n";
}

void Shadow::check_equal(U64 is, U64 expected, const char* what) {
  if (is == expected) return;
  check(false, std::string(what) + " is " + std::to_string(is) + ", expected " + std::to_string(expected));
}

void Shadow::reset() {
  started_ = followed_ = false;
  storage_.clear();
  contexts_.clear();
  parked_.clear();
  jobs_.clear();
  out_.reset();
  stores_.clear();
  arrivals_.clear();
  in_.reset();
  loads_.clear();
  in_flight_.clear();
}

void Shadow::start_kernel(const Inputs& in) {
  const bool ended = started_ && parked_.empty();
  reset();
  if (ended) {
    ++seen_.whole_kernels;
    check(machine_.all_back(), "a home or place has not come back");
  }
  machine_.start(kernel_of(in));
  started_ = true;
  ++seen_.kernels;
  for (unsigned slot = 0; slot < in.cfg_slots; ++slot) write_all(slot, {});
}

void Shadow::write_all(unsigned slot, ThreadBlock block) {
  block.owner = ++owners_;
  block.foreign = false;
  const unsigned rhome = machine_.rhome(slot), shome = machine_.shome(slot);
  storage_.registers(rhome).fill(block.owner);
  storage_.shared(shome).fill(block.owner);
  storage_.simt(slot).fill(block.owner);
  for (const auto& [line, value] : block.equal) {
    storage_.shared(shome).write({AccessType::kShared, 0, 0, line}, value);
  }
  contexts_[slot] = std::move(block);
}

void Shadow::see(const Inputs& in, const Outputs& out, const Probes& probes) {
  if (started_) {
    check_registers(out, probes);
    check_port(out);
  }
  if (in.cfg_valid != 0) {
    const bool idle = jobs_.empty() && stores_.empty() && arrivals_.empty() && !in_;
    check(!started_ || idle, "a kernel starts while jobs are there");
    start_kernel(in);
  } else if (started_) {
    if (probes.in_state == InState::kMask || probes.in_state == InState::kWait) know_segments();
    if (out.access_valid != 0 && in.access_ready != 0) take_access(out);
    if (in.load_done != 0) perform_load();
    if (probes.out_state == OutState::kPlace) place(in);
    if (out.page_request != 0 && in.page_valid != 0) take_image(in);
    if (out.parked_valid != 0 && in.parked_ready != 0) park(in, out);
    if (probes.in_state == InState::kIdle && probes.hand_valid != 0) begin_in();
    if (in.site_valid != 0) machine_.write_site(in.site_index, in.site_mask);
    if (in.ro_valid != 0) write_segment(in);
    if (out.enter_valid != 0 && in.enter_ready != 0) enter(out);
    if (in.job_valid != 0 && out.job_ready != 0) accept_job(in);
  }
  last_in_ = in;
  last_out_ = out;
  last_probes_ = probes;
  followed_ = in.cfg_valid == 0;
  ++cycle_;
}

/// Compares free storage, homes and the decision with the reference.
void Shadow::check_registers(const Outputs& out, const Probes& probes) {
  check_equal(probes.free_rhomes, machine_.free_rhomes(), "free_rhomes");
  check_equal(probes.free_shomes, machine_.free_shomes(), "free_shomes");
  check_equal(probes.free_places, machine_.free_places(), "free_places");
  for (unsigned slot = 0; slot < params_.MaxTb; ++slot) {
    check_equal(probes.rhome[slot], machine_.rhome(slot), "rhome");
    check_equal(probes.shome[slot], machine_.shome(slot), "shome");
  }
  const bool offered = out.access_valid != 0 && out.access_store == 0;
  check_equal(probes.loads, in_flight_.size() + (offered ? 1 : 0), "loads");
  if (probes.out_state == OutState::kIdle || probes.out_state == OutState::kPlace || !out_) return;
  check_equal(probes.out_class, static_cast<U64>(out_->where), "out_class");
  check_equal(probes.out_next_rhome, out_->rhome, "out_next_rhome");
  check_equal(probes.out_next_shome, out_->shome, "out_next_shome");
}

/// Checks the rules of the port to storage: an access waits unchanged, no access to memory is offered anew after a
/// cycle in which accesses pause, and memory instructions are blocked.
void Shadow::check_port(const Outputs& out) {
  check_equal(out.block_memory, out.access_valid & (out.access_local ^ 1U), "block_memory");
  if (!followed_ || out.access_valid == 0) return;
  const bool waits = last_out_.access_valid != 0 && last_in_.access_ready == 0;
  if (waits) {
    check(access_of(out) == access_of(last_out_), "an access changes while it waits");
  } else {
    check(out.access_local != 0 || last_probes_.stopped == 0, "an access to memory is offered while they pause");
  }
}

void Shadow::accept_job(const Inputs& in) {
  const Job job = job_of(in);
  if (job.out) {
    const auto leaves = contexts_.find(job.slot);
    if (leaves != contexts_.end()) {
      leaves->second.segments = machine_.segments(job.slot);
      leaves->second.site = job.site;
    }
    check(leaves != contexts_.end(), "a thread block leaves a context that has none");
  } else {
    contexts_.erase(job.slot);
  }
  jobs_.push_back(job);
}

void Shadow::place(const Inputs& in) {
  check(!out_ || (parked_out_ && stores_.empty()), "a decision while a thread block leaves");
  check(!jobs_.empty(), "a decision without a job");
  if (jobs_.empty()) return;
  Arrival arrival;
  arrival.move = machine_.place(jobs_.front(), in.local_room != 0);
  jobs_.pop_front();
  const Move& move = arrival.move;
  ++seen_.classes[static_cast<std::size_t>(move.where)];
  if (!move.job.is_new) {
    const auto parked = parked_.find(key_of(move.job.entry));
    if (parked != parked_.end()) {
      arrival.back = parked->second;
      parked_.erase(parked);
    } else {
      check(get(move.job.entry, tb::kSimtLoc) == tb::kSimtInMemory, "an unknown entry names a place");
      arrival.back = ThreadBlock{};
      arrival.back->owner = ++owners_;
      arrival.back->foreign = true;
      ++seen_.foreign;
      for (const Access& access : machine_.simt_loads(move)) {
        storage_.write_memory(access.address, token(arrival.back->owner, cell_of(access)));
      }
    }
    const bool in_home = get(move.job.entry, tb::kRegLoc) == tb::kInHome;
    if (move.where == Class::kInPlace && in_home) ++seen_.exchanges_in_place;
  }
  out_ = move;
  parked_out_ = move.where == Class::kNone;
  if (move.where != Class::kMemory) {
    const std::vector<Access> list = machine_.stores(move);
    stores_.assign(list.begin(), list.end());
  }
  arrivals_.push_back(std::move(arrival));
}

void Shadow::take_image(const Inputs& in) {
  check(out_ && out_->where == Class::kMemory && stores_.empty(), "an image is requested for nothing");
  if (!out_) return;
  out_->address = in.page_address;
  const std::vector<Access> list = machine_.stores(*out_);
  stores_.assign(list.begin(), list.end());
}

void Shadow::take_access(const Outputs& out) {
  const Access access = access_of(out);
  if (access.store) {
    if (stores_.empty() || !(access == stores_.front())) {
      check(false, text_of(access) + " instead of " + (stores_.empty() ? "none" : text_of(stores_.front())));
    }
    if (!stores_.empty()) stores_.pop_front();
    storage_.move(access, storage_.source(access));
    ++seen_.stores[static_cast<std::size_t>(access.type)];
    return;
  }
  if (loads_.empty() || !(access == loads_.front())) {
    check(false, text_of(access) + " instead of " + (loads_.empty() ? "none" : text_of(loads_.front())));
  }
  if (!loads_.empty()) loads_.pop_front();
  ++seen_.loads[static_cast<std::size_t>(access.type)];
  Load load{access, {}};
  if (random_.below(2) == 0) load.value = storage_.source(access);
  in_flight_.push_back(load);
}

void Shadow::perform_load() {
  check(!in_flight_.empty(), "a load is performed that has not been accepted");
  if (in_flight_.empty()) return;
  const Load load = in_flight_.front();
  in_flight_.pop_front();
  storage_.move(load.access, load.value ? *load.value : storage_.source(load.access));
}

void Shadow::park(const Inputs& in, const Outputs& out) {
  check(out_.has_value(), "a thread block is parked that does not leave");
  if (!out_) return;
  // The last store may be on the port.
  const bool last = stores_.size() == 1 && out.access_valid != 0 && out.access_store != 0;
  check(stores_.empty() || last, "a thread block is parked before its stores");
  check_equal(out.parked_slot, out_->job.slot, "parked_slot");
  check_equal(out.parked_local, out_->where != Class::kMemory ? 1 : 0, "parked_local");
  const Entry expected = machine_.entry(*out_, in.sm_id);
  for (unsigned word = 0; word < Entry::kWords; ++word) {
    check_equal(out.parked_entry.word(word), expected.word(word), "parked_entry");
  }
  const auto leaves = contexts_.find(out_->job.slot);
  if (leaves != contexts_.end()) {
    parked_[key_of(expected)] = leaves->second;
    contexts_.erase(leaves);
  }
  parked_out_ = true;
}

void Shadow::begin_in() {
  check(!arrivals_.empty() && !in_, "a context is filled without a job");
  if (arrivals_.empty()) return;
  in_ = arrivals_.front();
  arrivals_.pop_front();
  if (out_ && out_->job.slot == in_->move.job.slot) {
    check(stores_.empty(), "a context is filled before the last store of its thread block has been accepted");
    check(parked_out_, "a context is filled before its thread block is parked");
  }
  machine_.begin_in(in_->move);
  const std::vector<Access> list = machine_.simt_loads(in_->move);
  loads_.assign(list.begin(), list.end());
  segments_known_ = in_->move.job.is_new;
}

/// Appends the loads behind the SIMT lines: the segments of the thread block have been written.
void Shadow::know_segments() {
  if (!in_ || segments_known_) return;
  segments_known_ = true;
  if (machine_.kernel().read_only && !in_->back->foreign) {
    const std::vector<Segment>& table = machine_.segments(in_->move.job.slot);
    for (unsigned i = 0; i < params_.RoSegs; ++i) {
      const bool same = table[i].lines == in_->back->segments[i].lines &&
                        (table[i].lines == 0 || (table[i].first == in_->back->segments[i].first &&
                                                 table[i].address == in_->back->segments[i].address));
      check(same, "the segments of a thread block have not come back before its SIMT lines");
    }
  }
  for (const Access& access : machine_.other_loads(in_->move)) {
    loads_.push_back(access);
    if (!in_->back->foreign) continue;
    const Cell cell = cell_of(access);
    if (access.type == AccessType::kReadOnly) {
      in_->back->equal[cell.line] = memory_token(access.address);
    } else {
      storage_.write_memory(access.address, token(in_->back->owner, cell));
    }
  }
  if (in_->back->foreign) in_->back->site = static_cast<unsigned>(get(in_->move.job.entry, tb::kSite));
}

void Shadow::write_segment(const Inputs& in) {
  const Segment segment{in.ro_lines, in.ro_first, in.ro_address};
  machine_.write_segment(in.ro_slot, in.ro_index, segment);
  const auto block = contexts_.find(in.ro_slot);
  if (block == contexts_.end() || in.ro_index >= params_.RoSegs) return;
  for (unsigned i = 0; i < segment.lines; ++i) {
    const Cell cell{AccessType::kShared, 0, 0, segment.first + i};
    block->second.equal[cell.line] = memory_token(segment.address + i);
    storage_.shared(machine_.shome(in.ro_slot)).write(cell, memory_token(segment.address + i));
  }
}

void Shadow::check_tokens(const Arrival& arrival) {
  const Kernel& kernel = machine_.kernel();
  const ThreadBlock& block = *arrival.back;
  const unsigned slot = arrival.move.job.slot;
  unsigned wrong = 0;
  const auto look = [&](const Home& home, const Cell& cell) {
    const auto equal = block.equal.find(cell.line);
    const bool read_only = cell.type == AccessType::kShared && equal != block.equal.end();
    const Token expected = read_only ? equal->second : token(block.owner, cell);
    wrong += home.read(cell) != expected ? 1 : 0;
    ++seen_.checked_cells;
  };
  for (unsigned line = 0; line < kernel.simt; ++line) look(storage_.simt(slot), {AccessType::kSimt, 0, 0, line});
  for (unsigned warp = 0; warp < kernel.warps; ++warp) {
    for (const unsigned reg : machine_.live(block.site)) {
      look(storage_.registers(arrival.move.rhome), {AccessType::kRegister, warp, reg, 0});
    }
  }
  for (unsigned line = 0; line < kernel.smem; ++line) {
    look(storage_.shared(arrival.move.shome), {AccessType::kShared, 0, 0, line});
  }
  check(wrong == 0, std::to_string(wrong) + " cells of the thread block in context " + std::to_string(slot) +
                        " are not what it wrote");
}

void Shadow::enter(const Outputs& out) {
  check(in_.has_value(), "a context is filled without a job");
  if (!in_) return;
  const Arrival arrival = *in_;
  in_.reset();
  const Move& move = arrival.move;
  check(loads_.empty() && in_flight_.empty(), "a context is filled before its loads have been performed");
  check_equal(out.enter_slot, move.job.slot, "enter_slot");
  check_equal(out.enter_new, move.job.is_new ? 1 : 0, "enter_new");
  check_equal(out.enter_gid, move.job.in_gid, "enter_gid");
  check_equal(out.enter_rhome, move.rhome, "enter_rhome");
  check_equal(out.enter_shome, move.shome, "enter_shome");
  const bool image = !move.job.is_new && get(move.job.entry, tb::kSimtLoc) == tb::kSimtInMemory;
  check_equal(out.enter_free, image ? 1 : 0, "enter_free");
  check_equal(out.enter_address, image ? get(move.job.entry, tb::kSimtLine) : 0, "enter_address");
  if (arrival.back) {
    ++seen_.returns;
    check_tokens(arrival);
  } else {
    ++seen_.starts;
  }
  machine_.end_in(move);
  ThreadBlock block;
  if (arrival.back) block.equal = arrival.back->equal;
  write_all(move.job.slot, std::move(block));
}

}  // namespace castor::tb_swap::reference
