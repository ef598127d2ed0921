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

/// Recursive-descent parser of PTX modules, driven by the instruction table. The grammar of PTX needs one token of
/// lookahead. A hand-written parser is the fastest, and its messages can name what each operand must be.
///
/// Each part reads one kind of construct at the cursor and keeps its state. ModuleReader creates the parts and reads
/// the directives at module level. Each part calls only parts to its left: Cursor <- Expressions <- SourcePlaces,
/// Symbols <- Initialisers <- Declarations <- BodyReader. BodyReader has its own Names, Labels, Operands and Calls.
class ModuleReader {
 public:
  /// `text` and `file` must outlive the reader.
  ModuleReader(std::string_view text, const std::string& file);
  /// Reads the whole text; may be called once.
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
  Budget memory_;  // bytes of initial values and of function bodies copied for aliases
  Budget candidates_{kMostCandidates};
  Expressions expressions_;
  SourcePlaces places_;
  Symbols symbols_;
  Initialisers initialisers_;
  Declarations declarations_;
  Spellings spellings_;
};

}  // namespace castor::ptx
