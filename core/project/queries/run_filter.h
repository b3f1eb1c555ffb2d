// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/filter_language.h"
#include "project/queries/queries.h"
#include "project/queries/run_figures.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A filter for runs: "correct_rate:held-out > 0.5 and rl.lr <= 1e-4", "not (status = done) or tag = good"
/// (filter_language.h). Names are those of runFilterNames(), of metrics (compares last values; a split may
/// follow a colon), and of parameters. The end of a metric's name suffices if unique. A single word is
/// searched for in all identifying texts and the note of a run. Also accepts filters from earlier versions:
/// "status:failed" matches a substring, and a minus means `not`. Archived runs match only if the filter
/// contains `is = archived`.
class RunFilter
{
public:
    RunFilter() = default;
    /// Fails for a syntax error or a name that neither a run nor a declaration has. Without `names`, accepts
    /// every name with a dot or a slash.
    static Result<RunFilter> parse(std::string_view text, const RunNames* names = nullptr);

    /// `figures`: the figures in figures(), and the parameters if one is among them.
    bool matches(const RunSummary& run, const RunFigures& figures = {}) const;
    /// The metrics and parameters used in the filter.
    const std::vector<RunFigure>& figures() const { return m_figures; }

private:
    FilterTree m_tree;
    std::vector<RunFigure> m_figures;
    bool m_archived = false;
};

/// The parameters of a run for RunFigures. Empty for a damaged run.toml, which is reported when the run is
/// opened.
std::shared_ptr<const ParameterTexts> readParameterTexts(ProjectReader& reader, RunId run);

/// A filter name other than metrics and parameters, and its meaning.
struct RunFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<RunFilterName>& runFilterNames();
/// The states of a run in filters: "starred", "archived", ...
const std::vector<std::string>& runFilterStates();

} // namespace sparserl
