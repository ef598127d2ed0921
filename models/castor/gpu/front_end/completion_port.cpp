#include "castor/gpu/front_end/completion_port.h"

namespace castor::gpu {

void CompletionPort::receive(Cycle now) {
  while (words_.has_reply(now)) {
    words_.pop();
    const Notice& seen = under_way_.front();
    if (seen.what == Notice::What::kPacketDone) tickets_.show(seen.ticket);
    if (collecting_) notices_.push_back(seen);
    under_way_.pop_front();
  }
}

void CompletionPort::finish(unsigned queue, Ticket ticket, Cycle now, PacketEnd end) {
  tickets_.complete(ticket, now, end == PacketEnd::kRecorded);
  Notice notice;
  notice.queue = queue;
  notice.ticket = ticket;
  notice.cycle = now;
  notice.discarded = end == PacketEnd::kDiscarded;
  under_way_.push_back(notice);
  words_.write(queues_.completion_word(queue), &ticket, sizeof ticket);
}

void CompletionPort::signal(unsigned queue, Ticket ticket, std::uint64_t address, const JobSignal& signal, Cycle now) {
  const std::uint64_t word = signal.word();
  Notice notice;
  notice.what = Notice::What::kSignal;
  notice.queue = queue;
  notice.ticket = ticket;
  notice.cycle = now;
  notice.signal = signal;
  under_way_.push_back(notice);
  words_.write(address, &word, sizeof word);
}

void CompletionPort::drop(Ticket ticket, Cycle now) {
  tickets_.complete(ticket, now, false);
  tickets_.show(ticket);
}

}  // namespace castor::gpu
