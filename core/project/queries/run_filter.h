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

/// A filter for runs (filter_language.h), for example "correct_rate:held-out > 0.5 and rl.lr <= 1e-4" or "not
/// (status = done) or tag = good". It can use the names of runFilterNames(), of parameters, and of metrics,
/// whose last values are compared. A metric may be followed by a colon and a split, and the end of its name
/// is enough if no other metric has the same end. A single word is searched for in the note of a run and in
/// all texts that identify it. Filters of earlier versions are accepted, too: "status:failed" searches for a
/// part of a text, and a minus means `not`. Archived runs match only if the filter contains `is = archived`.
class RunFilter
{
public:
    RunFilter() = default;
    /// Parses a filter. Fails for a syntax error and for an unknown name. If `names` is null, accepts every
    /// name that contains a dot or a slash.
    static Result<RunFilter> parse(std::string_view text, const RunNames* names = nullptr);

    /// Returns whether a run matches. `figures` must contain all figures that figures() lists; if one of them
    /// is a parameter, it must contain the run's parameters.
    bool matches(const RunSummary& run, const RunFigures& figures = {}) const;
    /// Returns the metrics and parameters that the filter uses.
    const std::vector<RunFigure>& figures() const { return m_figures; }

private:
    FilterTree m_tree;
    std::vector<RunFigure> m_figures;
    bool m_archived = false;
};

/// Reads the parameters of a run for RunFigures. Returns none if run.toml is damaged, which is reported when
/// the run is opened.
std::shared_ptr<const ParameterTexts> readParameterTexts(ProjectReader& reader, RunId run);

/// A name, other than a metric or a parameter, that filters can use, and its meaning.
struct RunFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<RunFilterName>& runFilterNames();
/// Returns the states of a run that filters can use: "starred", "archived", ...
const std::vector<std::string>& runFilterStates();

} // namespace sparserl
