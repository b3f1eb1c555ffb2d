// SPDX-License-Identifier: Apache-2.0
#include "project/queries/matrix_filter.h"

#include <algorithm>

namespace sparserl {

namespace {

struct TextField
{
    std::string_view key, help;
    const std::string& (*value)(const MatrixRow&);
};

constexpr TextField textFields[] = {
    {"name", "Name in this project.", [](const MatrixRow& r) -> const std::string& { return r.name; }},
    {"class", "Structure class: banded, irregular, power-law, …",
     [](const MatrixRow& r) -> const std::string& { return r.matrixClass; }},
    {"split", "train or held-out.", [](const MatrixRow& r) -> const std::string& { return r.split; }},
    {"source", "File or generator it comes from.",
     [](const MatrixRow& r) -> const std::string& { return r.source; }},
    {"attribution", "Author and licence.",
     [](const MatrixRow& r) -> const std::string& { return r.attribution; }},
    {"note", "Your note.", [](const MatrixRow& r) -> const std::string& { return r.notes.note; }},
    {"problem", "Why it could not be read.",
     [](const MatrixRow& r) -> const std::string& { return r.problem; }}};

const TextField* findText(std::string_view key)
{
    const auto* it = std::find_if(std::begin(textFields), std::end(textFields),
                                  [&](const TextField& field) { return field.key == key; });
    return it == std::end(textFields) ? nullptr : it;
}

/// Features have the numbers behind those of the texts.
std::optional<FilterField> fieldOf(const std::string& name)
{
    const std::string key = filterCase(name);
    if (const TextField* text = findText(key))
        return FilterField{static_cast<std::size_t>(text - std::begin(textFields)), FilterField::Kind::Text};
    const FeatureSpec* feature = findFeature(key);
    if (!feature)
        return {};
    const auto at = static_cast<std::size_t>(feature - featureSpecs().data());
    return FilterField{std::size(textFields) + at, FilterField::Kind::Number};
}

/// Without its folders, which are the same for many.
std::string fileOf(const std::string& source)
{
    const auto slash = source.rfind('/');
    return slash == std::string::npos ? source : source.substr(slash + 1);
}

class FilteredMatrix final : public FilterSubject
{
public:
    FilteredMatrix(const MatrixRow& row, const std::optional<MatrixFeatures>& features)
        : m_row(row)
        , m_features(features)
    {
    }
    std::optional<double> number(std::size_t field) const override
    {
        const FeatureSpec& feature = featureSpecs()[field - std::size(textFields)];
        if (!m_features || !feature.known(*m_features)) // it has not been read yet
            return {};
        return feature.value(*m_features);
    }
    bool anyText(std::size_t field, const std::function<bool(const std::string&)>& wanted) const override
    {
        return wanted(textFields[field].value(m_row));
    }
    bool mentions(const std::string& part) const override
    {
        return filterFinds(m_row.name, part) || filterFinds(m_row.matrixClass, part) ||
               filterFinds(fileOf(m_row.source), part) || filterFinds(m_row.attribution, part) ||
               filterFinds(m_row.notes.note, part);
    }

private:
    const MatrixRow& m_row;
    const std::optional<MatrixFeatures>& m_features;
};

} // namespace

Result<MatrixFilter> MatrixFilter::parse(std::string_view text)
{
    FilterVocabulary vocabulary;
    vocabulary.rows = "matrices";
    vocabulary.example = "nnz > 1e5";
    vocabulary.remedy = "Use for example nnz, rows, row_mean, class or split";
    vocabulary.find = fieldOf;
    vocabulary.names = [] {
        std::vector<std::string> keys;
        for (const MatrixFilterName& known : matrixFilterNames())
            keys.push_back(known.key);
        return keys;
    };
    MatrixFilter filter;
    SPARSERL_TRY(filter.m_tree, FilterTree::parse(text, vocabulary));
    return filter;
}

bool MatrixFilter::matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const
{
    return m_tree.matches(FilteredMatrix(row, features));
}

const std::vector<MatrixFilterName>& matrixFilterNames()
{
    static const std::vector<MatrixFilterName> names = [] {
        std::vector<MatrixFilterName> all;
        for (const TextField& field : textFields)
            all.push_back({std::string(field.key), std::string(field.help), false});
        for (const FeatureSpec& spec : featureSpecs())
            all.push_back({std::string(spec.key), std::string(spec.help), true});
        return all;
    }();
    return names;
}

} // namespace sparserl
