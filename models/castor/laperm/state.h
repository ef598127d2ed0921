#pragma once

#include <array>
#include <vector>

#include "castor/laperm/ports.h"

/// Registers and small tables of LaPerm that are independent of each other (docs/blocks/laperm.md, "Theory of
/// operation").
namespace castor::laperm {

inline constexpr unsigned kMaxKds = 256;
inline constexpr unsigned kMaxSms = 32;
inline constexpr unsigned kMaxReads = 8;

/// Bits of `err` (docs/blocks/laperm.md, "Breaking the rules").
enum Error : U8 {
  kErrorPush = 1,   ///< push of an item without thread blocks, with an invalid entry or SM, or one more than its entry
                    ///< can count
  kErrorReply = 2,  ///< memory reply without a read
};

/// A kernel or group with thread blocks that are not placed yet.
struct Item {
  U64 agei = 0;   ///< reference to the group; all ones: a kernel
  U64 cnt = 0;    ///< number of thread blocks
  U64 dim = 0;    ///< thread blocks per dimension: {z 16, y 16, x 32}
  U64 param = 0;  ///< address of the parameters
  U8 kd = 0;      ///< kernel table entry
};

/// Returns the item as {kd, agei, cnt, dim, param}, param in the low bits.
[[nodiscard]] Entry pack(const Item& item, const Params& params);
[[nodiscard]] Item unpack(const Entry& entry, const Params& params);

/// Returns the lowest set bit of `mask` at or above `from`, else the lowest set bit; mask is not 0, from is 0..31.
[[nodiscard]] inline unsigned first_from(U32 mask, unsigned from) {
  const U32 above = mask & (~U32{0} << from);
  return static_cast<unsigned>(__builtin_ctz(above != 0 ? above : mask));
}

/// Returns the highest set bit of `mask`, which is not 0.
[[nodiscard]] inline unsigned highest(U32 mask) { return 31U - static_cast<unsigned>(__builtin_clz(mask)); }

/// Register pk: an accepted item that could not be inserted yet, with level and SM as pushed. Cleared by its insertion.
struct Parked {
  bool valid = false;
  U8 level = 0;  ///< level as pushed; 0: a kernel of the host
  U8 sm = 0;     ///< SM of the direct parent
  Item item;
};

/// Register rq: a request to the lists in memory. Cleared when memory accepts it.
struct Request {
  bool valid = false;
  bool write = false;  ///< 1: writes an entry that overflows; 0: reads an entry back
  U16 list = 0;        ///< number of the list
  U32 idx = 0;         ///< index of the entry in the list
  Entry data;          ///< entry to write; 0 for a read
};

/// Register rf: an entry read from memory, which is inserted at the next edge.
struct Reply {
  bool valid = false;
  U16 list = 0;  ///< list into which the entry is inserted
  Item item;
};

/// Lists of the reads whose reply is awaited, oldest first.
class Tags {
 public:
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] U16 oldest() const { return lists_[head_]; }
  void push(U16 list) { lists_[(head_ + count_++) % kMaxReads] = list; }
  void pop() {
    head_ = (head_ + 1) % kMaxReads;
    --count_;
  }

 private:
  std::array<U16, kMaxReads> lists_{};  // ring of list numbers
  unsigned head_ = 0;                   // slot of the oldest read
  unsigned count_ = 0;                  // number of awaited reads
};

/// Queue 0: kernels of the host in the order of their pushes; NumKd entries.
class HostQueue {
 public:
  explicit HostQueue(unsigned depth) : ring_(depth) {}

  void reset() { head_ = count_ = 0, pos_ = 0; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == ring_.size(); }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] const Item& front() const { return ring_[head_]; }
  /// Returns the number of the front's next thread block; 0 if the queue is empty.
  [[nodiscard]] U64 position() const { return pos_; }

  void advance(U64 pos) { pos_ = pos; }
  void push(const Item& item) {
    const unsigned at = head_ + count_++;
    ring_[at < ring_.size() ? at : at - ring_.size()] = item;
  }
  void pop() {
    head_ = head_ + 1 == ring_.size() ? 0 : head_ + 1;
    --count_;
    pos_ = 0;
  }

 private:
  std::vector<Item> ring_;
  unsigned head_ = 0;  // slot of the front item
  unsigned count_ = 0;
  U64 pos_ = 0;  // number of the front's next thread block
};

/// Resources that one thread block of a kernel needs, in the units of the room ports.
struct Need {
  U8 warps = 0;  ///< warp slots
  U16 regs = 0;  ///< units of registers
  U16 smem = 0;  ///< units of shared memory
};

/// State of each kernel table entry: its need, and the number of its waiting items (QcntW bits, which wrap).
class Kernels {
 public:
  explicit Kernels(const Params& params) : most_(static_cast<U32>(twin::mask(params.QcntW))) {}

  void reset() {
    items_ = {};
    hold_.reset();
    held_ = 0;
  }
  [[nodiscard]] const Need& need(U8 kd) const { return need_[kd]; }
  /// Whether the entry's number of items is at its maximum.
  [[nodiscard]] bool full(U8 kd) const { return items_[kd] == most_; }
  [[nodiscard]] const PerKd& items() const { return items_; }
  /// Return the entries with items, and whether any item waits.
  [[nodiscard]] const KdBits& hold() const { return hold_; }
  [[nodiscard]] bool waiting() const { return held_ != 0; }

  void set_need(U8 kd, const Need& need) { need_[kd] = need; }
  void add(U8 kd) { count(kd, items_[kd] + 1); }
  void remove(U8 kd) { count(kd, items_[kd] - 1); }

 private:
  void count(U8 kd, U32 value) {
    const bool before = items_[kd] != 0;
    items_[kd] = value & most_;
    const bool after = items_[kd] != 0;
    if (before == after) return;
    hold_.assign(kd, after);
    held_ += after ? 1U : ~0U;
  }

  U32 most_;                          // largest number of items of an entry
  std::array<Need, kMaxKds> need_{};  // by entry: need of a thread block
  PerKd items_;                       // by entry: number of waiting items
  KdBits hold_;                       // kernel table entries with items
  U32 held_ = 0;                      // number of entries in hold_
};

/// State of the rotation over SMs: the SM in turn, and the results of earlier examinations.
struct Rotation {
  U8 cur = 0;    ///< SM that is examined in this cycle
  PerSm backup;  ///< by SM: backup set that stage 3 chose last; the SM's own set: none yet
  U32 fit = 0;   ///< bit per SM: its last examination found no candidate, or a candidate that fits
};

}  // namespace castor::laperm
