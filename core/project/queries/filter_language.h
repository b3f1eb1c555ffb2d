// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The language in which lists are filtered, for example "nnz > 1e5 and class = banded" or "not (split =
/// train) or fem".
///
///     or:    and ("or" and)*
///     and:   not ("and"? not)*
///     not:   "not" not | "(" or ")" | NAME OP VALUE | WORD
///     OP:    = != < <= > >= ~
///
/// Numbers may end in k, M, G or %. Comparisons of texts ignore case. A text may have a subtype after a
/// slash; "banded" equals "banded/narrow". The operator ~ searches for a part of a text. A value with spaces
/// must be in quotes. Each list defines its names, and where it searches for a single WORD.
enum class FilterComparison
{
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Contains
};

/// The meaning of a name in an expression.
struct FilterField
{
    enum class Kind
    {
        Number,
        Text,
        Either ///< A number in some rows and a text in others. If both sides are numbers, they are compared
               ///< as numbers, otherwise as texts.
    };
    std::size_t id = 0; ///< The number by which FilterSubject knows the field.
    Kind kind = Kind::Number;
};

/// The names that filters of a list can use.
struct FilterVocabulary
{
    std::string rows;    ///< What the rows of the list are, for messages: "matrices".
    std::string example; ///< An example of a filter, for messages: "nnz > 1e5".
    std::string remedy;  ///< Advice for an unknown name to which no known name is similar: "Use for example
                         ///< nnz or split".
    /// Finds the field with a name, which is passed in its original case. Returns nullopt for an unknown
    /// name.
    std::function<std::optional<FilterField>(const std::string& name)> find;
    /// Returns the names among which to look for the intended one if a name is misspelt.
    std::function<std::vector<std::string>()> names;
    /// Whether to accept the older syntax of run filters, in which "status:failed" means `status ~ failed`
    /// and a leading minus means `not`. Values of the field `exact` must match completely. A colon has this
    /// meaning only after a name that consists of letters.
    bool colons = false;
    std::string exact;
    /// Returns why a value is invalid for a field, or nullopt if it is valid.
    std::function<std::optional<Error>(const FilterField&, const std::string& value)> check = {};
};

/// A row to which a filter is applied.
class FilterSubject
{
public:
    virtual ~FilterSubject() = default;
    /// Returns the number in a field, or nullopt if the row has none. Every comparison with a missing number
    /// is false.
    virtual std::optional<double> number(std::size_t field) const = 0;
    /// Returns whether a text of a field satisfies `wanted`.
    virtual bool anyText(std::size_t field, const std::function<bool(const std::string&)>& wanted) const = 0;
    /// Returns whether one of the texts that identify the row contains `part`, which is in lower case.
    virtual bool mentions(const std::string& part) const = 0;
};

/// A parsed expression.
class FilterTree
{
public:
    /// Creates a filter that matches everything.
    FilterTree() = default;
    /// Parses a filter. The Error states the fault and the position of the character, counted from 1.
    static Result<FilterTree> parse(std::string_view text, const FilterVocabulary& vocabulary);

    bool empty() const { return m_root == nullptr; }
    bool matches(const FilterSubject& subject) const;
    /// Returns whether the filter compares a field with this text, which is in lower case, by any operator.
    bool compares(std::size_t field, std::string_view text) const;

    struct Node;

private:
    std::shared_ptr<const Node> m_root;
};

/// Converts ASCII letters to lower case, as all comparisons of filters do.
std::string filterCase(std::string_view text);
/// Returns whether `text` contains `part`, which is in lower case. Ignores the case of `text`.
bool filterFinds(const std::string& text, const std::string& part);

} // namespace sparserl
