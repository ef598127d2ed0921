#pragma once

#include <array>
#include <vector>

#include "castor/laperm/ports.h"

/// Registers and small tables of LaPerm that know nothing of each other (docs/blocks/laperm.md, "Theory of operation").
namespace castor::laperm {

inline constexpr unsigned kMaxKds = 256;
inline constexpr unsigned kMaxSms = 32;
inline constexpr unsigned kMaxReads = 8;

/// Bits of `err`.
enum Error : U8 {
  kErrorPush = 1,   ///< an item without thread blocks, of no entry or SM that exists, or one too many of its entry
  kErrorReply = 2,  ///< a reply without a read
};

/// A kernel or group with thread blocks that are not placed yet.
struct Item {
  U64 agei = 0;   ///< group; all ones: a kernel
  U64 cnt = 0;    ///< thread blocks
  U64 dim = 0;    ///< {z 16, y 16, x 32}
  U64 param = 0;  ///< address of its parameters
  U8 kd = 0;      ///< kernel table entry
};

/// The item as {kd, agei, cnt, dim, param}, param in the low bits.
[[nodiscard]] Entry pack(const Item& item, const Params& params);
[[nodiscard]] Item unpack(const Entry& entry, const Params& params);

/// Lowest bit of `mask` at or above `from`, else its lowest one; mask is not 0, from 0..31.
[[nodiscard]] inline unsigned first_from(U32 mask, unsigned from) {
  const U32 above = mask & (~U32{0} << from);
  return static_cast<unsigned>(__builtin_ctz(above != 0 ? above : mask));
}

/// Highest bit of `mask`, which is not 0.
[[nodiscard]] inline unsigned highest(U32 mask) { return 31U - static_cast<unsigned>(__builtin_clz(mask)); }

/// An item that is accepted and could not be inserted yet (pk), level and SM as pushed.
struct Parked {
  bool valid = false;
  U8 level = 0;  ///< 0: of the host
  U8 sm = 0;     ///< of the direct parent
  Item item;
};

/// A request to the memory lists (rq).
struct Request {
  bool valid = false;
  bool write = false;  ///< an entry overflows; else one is read back
  U16 list = 0;        ///< in memory
  U32 idx = 0;         ///< entry of the list
  Entry data;          ///< 0 on reads
};

/// An entry read from memory that is inserted at the next edge (rf).
struct Reply {
  bool valid = false;
  U16 list = 0;  ///< it goes into
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
  std::array<U16, kMaxReads> lists_{};  // a ring
  unsigned head_ = 0;                   // slot of the oldest
  unsigned count_ = 0;                  // reads awaited
};

/// Queue 0: host kernels in the order of their pushes, NumKd entries.
class HostQueue {
 public:
  explicit HostQueue(unsigned depth) : ring_(depth) {}

  void reset() { head_ = count_ = 0, pos_ = 0; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == ring_.size(); }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] const Item& front() const { return ring_[head_]; }
  /// Next thread block of the front; 0 if there is none.
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
  unsigned head_ = 0;  // slot of the front
  unsigned count_ = 0;
  U64 pos_ = 0;  // see position
};

/// What one thread block of a kernel takes of an SM, in the units of the room ports.
struct Need {
  U8 warps = 0;  ///< warp slots
  U16 regs = 0;  ///< units of registers
  U16 smem = 0;  ///< units of shared memory
};

/// Of each kernel table entry: its need, and how many items of it wait anywhere (QcntW bits, which wrap).
class Kernels {
 public:
  explicit Kernels(const Params& params) : most_(static_cast<U32>(twin::mask(params.QcntW))) {}

  void reset() {
    items_ = {};
    hold_.reset();
    held_ = 0;
  }
  [[nodiscard]] const Need& need(U8 kd) const { return need_[kd]; }
  /// Its count cannot go up.
  [[nodiscard]] bool full(U8 kd) const { return items_[kd] == most_; }
  [[nodiscard]] const PerKd& items() const { return items_; }
  /// Entries with items, and whether there is one.
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

  U32 most_;                          // items that an entry can have
  std::array<Need, kMaxKds> need_{};  // by entry
  PerKd items_;                       // by entry: items that wait
  KdBits hold_;                       // entries with items
  U32 held_ = 0;                      // entries in hold_
};

/// Which SM is examined, and what is remembered of each.
struct Rotation {
  U8 cur = 0;    ///< SM that is examined
  PerSm backup;  ///< set that stage 3 has chosen last; its own: none yet
  U32 fit = 0;   ///< bit = SM: its last examination found no candidate, or one that fitted
};

}  // namespace castor::laperm
