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

/// Which runs of a list are seen: "correct_rate:held-out > 0.5 and rl.lr <= 1e-4", "not (status = done) or
/// tag = good" (filter_language.h). Names are those of runFilterNames(), those of metrics, of which the last
/// values are compared, with the split behind a colon where it matters, and those of parameters. The end of
/// one metric's name is enough. A word by
/// itself is looked for in everything that a run is called by, and in its note. Filters that were kept by
/// earlier versions are read, too: "status:failed" looks for a part, and a minus is a `not`. Archived runs
/// are seen only where the filter asks for `is = archived`.
class RunFilter
{
public:
    RunFilter() = default;
    /// Fails with a sentence for what does not hold together or asks for what neither a run nor a declaration
    /// has. Without `names` every name with a dot or a slash may be one.
    static Result<RunFilter> parse(std::string_view text, const RunNames* names = nullptr);

    /// `figures`: those of figures(), and parameters where one is among them.
    bool matches(const RunSummary& run, const RunFigures& figures = {}) const;
    /// The metrics and parameters that it asks for.
    const std::vector<RunFigure>& figures() const { return m_figures; }

private:
    FilterTree m_tree;
    std::vector<RunFigure> m_figures;
    bool m_archived = false;
};

/// The parameters of a run, for RunFigures. A run.toml that is damaged has none here: opening that run
/// reports it.
std::shared_ptr<const ParameterTexts> readParameterTexts(ProjectReader& reader, RunId run);

/// What a filter can ask for besides metrics and parameters, and what it means.
struct RunFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<RunFilterName>& runFilterNames();
/// What a run can be: "starred", "archived", ...
const std::vector<std::string>& runFilterStates();

} // namespace sparserl
