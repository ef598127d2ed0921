#include "castor/laperm/state.h"

namespace castor::laperm {

namespace {

void put(Entry& entry, unsigned& at, unsigned bits, U64 value) {
  const unsigned word = at / 64, shift = at % 64;
  entry.set_word(word, entry.word(word) | value << shift);
  if (shift + bits > 64) entry.set_word(word + 1, entry.word(word + 1) | value >> (64 - shift));
  at += bits;
}

U64 get(const Entry& entry, unsigned& at, unsigned bits) {
  const unsigned word = at / 64, shift = at % 64;
  U64 value = entry.word(word) >> shift;
  if (shift + bits > 64) value |= entry.word(word + 1) << (64 - shift);
  at += bits;
  return value & twin::mask(bits);
}

}  // namespace

Entry pack(const Item& item, const Params& params) {
  Entry entry;
  unsigned at = 0;
  put(entry, at, params.ParamW, item.param);
  put(entry, at, params.DimW, item.dim);
  put(entry, at, params.CntW, item.cnt);
  put(entry, at, params.AgeiW, item.agei);
  put(entry, at, params.kd_bits(), item.kd);
  return entry;
}

Item unpack(const Entry& entry, const Params& params) {
  Item item;
  unsigned at = 0;
  item.param = get(entry, at, params.ParamW);
  item.dim = get(entry, at, params.DimW);
  item.cnt = get(entry, at, params.CntW);
  item.agei = get(entry, at, params.AgeiW);
  item.kd = static_cast<U8>(get(entry, at, params.kd_bits()));
  return item;
}

}  // namespace castor::laperm
