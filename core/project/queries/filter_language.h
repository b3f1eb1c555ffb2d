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

/// The expressions that filter lists: "nnz > 1e5 and class = banded", "not (split = train) or fem".
///
///     or:    and ("or" and)*
///     and:   not ("and"? not)*
///     not:   "not" not | "(" or ")" | NAME OP VALUE | WORD
///     OP:    = != < <= > >= ~
///
/// Numbers may end in k, M, G or %. Text is equal without regard to case; "banded" equals "banded/narrow",
/// since a text may have a kind behind a slash; ~ looks for a part. Quotes hold what has blanks. What the
/// names are and where a WORD by itself is looked for is of the list.
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

/// What a name of an expression stands for.
struct FilterField
{
    enum class Kind
    {
        Number,
        Text,
        Either ///< A number on some rows, a text on others: compared as what both sides are.
    };
    std::size_t id = 0; ///< What the rows are asked for.
    Kind kind = Kind::Number;
};

/// What the expressions of a list can say.
struct FilterVocabulary
{
    std::string rows;    ///< "matrices": whose names these are, in sentences.
    std::string example; ///< "nnz > 1e5"
    std::string remedy;  ///< Where a name is unknown and none is near: "Use for example nnz or split".
    /// Nothing for a name that there is not. Called with names in the case in which they were written.
    std::function<std::optional<FilterField>(const std::string& name)> find;
    /// What an unknown name may have meant.
    std::function<std::vector<std::string>()> names;
    /// Reads "status:failed" as `status ~ failed` and a minus in front as `not`, as filters of runs were
    /// written once; the values of `exact` are compared whole. Without names that are only letters no colon
    /// means anything.
    bool colons = false;
    std::string exact;
    /// Why a value cannot be one of this field, or nothing.
    std::function<std::optional<Error>(const FilterField&, const std::string& value)> check = {};
};

/// A row as a filter asks it.
class FilterSubject
{
public:
    virtual ~FilterSubject() = default;
    /// Nothing where it has none: then no comparison of it holds.
    virtual std::optional<double> number(std::size_t field) const = 0;
    /// Whether a text of the field is as wanted.
    virtual bool anyText(std::size_t field, const std::function<bool(const std::string&)>& wanted) const = 0;
    /// Whether a text that the row is known by has this part, which is in lower case.
    virtual bool mentions(const std::string& part) const = 0;
};

/// A parsed expression.
class FilterTree
{
public:
    /// Matches everything.
    FilterTree() = default;
    /// The Error says what is wrong and at which character, from 1.
    static Result<FilterTree> parse(std::string_view text, const FilterVocabulary& vocabulary);

    bool empty() const { return m_root == nullptr; }
    bool matches(const FilterSubject& subject) const;
    /// Whether it compares a field with this text, in lower case, in whatever way.
    bool compares(std::size_t field, std::string_view text) const;

    struct Node;

private:
    std::shared_ptr<const Node> m_root;
};

/// In lower case: ASCII only, as everything a filter compares.
std::string filterCase(std::string_view text);
/// Whether `text` has a part, which is in lower case.
bool filterFinds(const std::string& text, const std::string& part);

} // namespace sparserl
