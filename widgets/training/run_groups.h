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

/// What runs of one group have in common.
struct RunGrouping
{
    enum class By
    {
        Lineage, ///< No groups: children below their parents.
        Stage,
        Preset,
        Algorithm,
        Parent,
        Tag, ///< All the tags of a run together: it stands in one group.
        State,
        Host, ///< The machine that the run works on.
        Day,  ///< On which the run was made, by this machine's clock.
        Parameter
    };
    By by = By::Lineage;
    std::string parameter; ///< Of By::Parameter: its key.

    bool active() const { return by != By::Lineage; }
    /// "stage", "parameter:rl.lr": for files; back again lineage for what is unknown.
    QString text() const;
    static RunGrouping fromText(const QString& text);
    bool operator==(const RunGrouping&) const = default;
};
/// All but those by a parameter, with what they are called in menus.
std::vector<std::pair<RunGrouping::By, QString>> runGroupings();

/// Parameters of runs as text, by the run. Shared: a thousand runs are copied around otherwise.
using RunValues = std::map<RunId, std::shared_ptr<const ParameterTexts>>;

/// Keys with at least two values among these runs; a run that does not have one does not count.
std::vector<std::string> differingParameters(const RunValues& values);
/// Of those, the first one that tells runs of this headline apart by what they learn with: alarms do not act
/// on it, and seeds differ always.
std::optional<std::string> tellingParameter(const RunValues& values, const std::vector<RunRow>& runs,
                                            const std::string& headline);

/// The rows in groups: a head, then its runs in the order they had. Runs that do not `pass` stay in their
/// group and count neither there nor in its figures; those of a group in `collapsed` (RunGroupHead::key) are
/// marked RunRow::hidden. Numbers ascend, texts follow, days descend, what has no value comes last.
/// O(n log n).
std::vector<RunRow> inGroups(std::vector<RunRow> rows, const RunGrouping& grouping, const RunValues& values,
                             const std::set<QString>& collapsed,
                             const std::function<bool(const RunRow&)>& passes);

} // namespace sparserl
