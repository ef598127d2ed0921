#include "castor/gpu/memory/transaction.h"

namespace castor::gpu {

tlm::tlm_extension_base* MemoryRequest::clone() const {
  auto* const copy = new MemoryRequest;
  *copy = *this;
  return copy;
}

void MemoryRequest::copy_from(const tlm::tlm_extension_base& other) {
  *this = static_cast<const MemoryRequest&>(other);
}

Transaction::Transaction(TransactionPool& pool) : tlm::tlm_generic_payload(&pool) { set_extension(&request); }

// Detaches the extension, which is a member: the payload's destructor would free it.
Transaction::~Transaction() { clear_extension(&request); }

void Transaction::prepare(std::uint64_t line_address) {
  set_address(line_address);
  set_command(request.is_atomic()  ? tlm::TLM_IGNORE_COMMAND
              : request.is_write() ? tlm::TLM_WRITE_COMMAND
                                   : tlm::TLM_READ_COMMAND);
  const unsigned length = request.sector_bytes();
  set_data_ptr(reinterpret_cast<unsigned char*>(request.data));
  set_data_length(length);
  set_streaming_width(length);
  set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

Transaction& TransactionPool::get() {
  Transaction* transaction = nullptr;
  if (free_.empty()) {
    transaction = &all_.emplace_back(*this);
  } else {
    transaction = free_.back();
    free_.pop_back();
  }
  MemoryRequest& request = transaction->request;
  request.sectors = 0;
  request.byte_mask[0] = request.byte_mask[1] = 0;
  request.lane_count = 0;
  request.missed = false;
  request.performed = 0;
  transaction->acquire();
  return *transaction;
}

void TransactionPool::free(tlm::tlm_generic_payload* payload) { free_.push_back(&Transaction::of(*payload)); }

}  // namespace castor::gpu
