// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_figures.h"
#include "widgets/training/run_model.h"

#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// What the runs of one group have in common.
struct RunGrouping
{
    enum class By
    {
        Lineage, ///< No groups; children are below their parents.
        Stage,
        Preset,
        Algorithm,
        Parent,
        Tag, ///< All tags of a run together, so that each run is in one group.
        State,
        Host, ///< The machine on which the run executes.
        Day,  ///< The day on which the run was created, by this machine's clock.
        Parameter
    };
    By by = By::Lineage;
    std::string parameter; ///< For By::Parameter: the key of the parameter.

    bool active() const { return by != By::Lineage; }
    /// The grouping as text for files: "stage", "parameter:rl.lr". The inverse returns Lineage for an unknown
    /// text.
    QString text() const;
    static RunGrouping fromText(const QString& text);
    bool operator==(const RunGrouping&) const = default;
};
/// All groupings except those by a parameter, with their names in menus.
std::vector<std::pair<RunGrouping::By, QString>> runGroupings();

/// Parameters of runs as text, by run. They are shared because copies for a thousand runs would be slow.
using RunValues = std::map<RunId, std::shared_ptr<const ParameterTexts>>;

/// Keys of parameters with at least two values among these runs. A run that lacks a parameter does not count
/// for it.
std::vector<std::string> differingParameters(const RunValues& values);
/// The first of those parameters that affects learning and differs between runs with this headline. Omits
/// alarms, which do not affect learning, and seeds, which always differ.
std::optional<std::string> tellingParameter(const RunValues& values, const std::vector<RunRow>& runs,
                                            const std::string& headline);

/// Arranges rows in groups: each head is followed by its runs, whose order is kept. Runs for which `passes`
/// is false stay in their group, but are not counted in the figures of its head. The runs of a group in
/// `collapsed` (RunGroupHead::key) are marked RunRow::hidden. Groups with numbers come first, in ascending
/// order, followed by those with texts; days descend; a group without a value is last. O(n log n).
std::vector<RunRow> inGroups(std::vector<RunRow> rows, const RunGrouping& grouping, const RunValues& values,
                             const std::set<QString>& collapsed,
                             const std::function<bool(const RunRow&)>& passes);

} // namespace sparserl
