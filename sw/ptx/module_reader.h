#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "castor/isa/module.h"
#include "ptx/body_reader.h"
#include "ptx/cursor.h"
#include "ptx/declarations.h"
#include "ptx/expressions.h"
#include "ptx/initialisers.h"
#include "ptx/rules.h"
#include "ptx/source_places.h"
#include "ptx/spellings.h"
#include "ptx/symbols.h"

namespace castor::ptx {

/// Recursive descent over PTX text, driven by the instruction table: the grammar of PTX needs one token of lookahead, a
/// hand-written parser is the fastest, and its messages can name what each operand has to be.
///
/// Each part reads one kind of thing at the cursor and owns what has to be remembered of it; this class makes them, and
/// reads what stands at module level. A part knows those that it asks: Cursor <- Expressions <- SourcePlaces, Symbols
/// <- Initialisers <- Declarations <- BodyReader, which has Names, Labels, Operands and Calls of its own.
class ModuleReader {
 public:
  /// Both must outlive the reader.
  ModuleReader(std::string_view text, const std::string& file);
  /// Once.
  [[nodiscard]] isa::Module read();

 private:
  void header();
  void target();
  void address_size();
  void item();
  [[nodiscard]] bool at_item() const;
  [[nodiscard]] Prefix prefix();
  void directive();
  void alias();
  void function(const Prefix& prefix, bool entry);
  void performance_directives(isa::Function& function);
  void thread_counts(std::uint32_t (&counts)[3]);

  isa::Module module_;
  Cursor text_;
  Budget memory_;  // of initial values and of bodies that aliases repeat
  Budget candidates_{kMostCandidates};
  Expressions expressions_;
  SourcePlaces places_;
  Symbols symbols_;
  Initialisers initialisers_;
  Declarations declarations_;
  Spellings spellings_;
};

}  // namespace castor::ptx
