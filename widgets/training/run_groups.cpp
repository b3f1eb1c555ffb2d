// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_groups.h"

#include "base/quantile.h"
#include "project/run/metrics.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QCollator>
#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

using By = RunGrouping::By;

struct Name
{
    By by;
    const char* text;
    const char* title;
};

constexpr std::array names{
    Name{By::Lineage, "lineage", QT_TRANSLATE_NOOP("RunGroups", "&Lineage, no groups")},
    Name{By::Stage, "stage", QT_TRANSLATE_NOOP("RunGroups", "&Stage")},
    Name{By::Preset, "preset", QT_TRANSLATE_NOOP("RunGroups", "&Preset")},
    Name{By::Algorithm, "algorithm", QT_TRANSLATE_NOOP("RunGroups", "&Algorithm")},
    Name{By::Parent, "parent", QT_TRANSLATE_NOOP("RunGroups", "Run it came &from")},
    Name{By::Tag, "tag", QT_TRANSLATE_NOOP("RunGroups", "&Tags")},
    Name{By::State, "status", QT_TRANSLATE_NOOP("RunGroups", "Stat&us")},
    Name{By::Host, "host", QT_TRANSLATE_NOOP("RunGroups", "&Machine")},
    Name{By::Day, "day", QT_TRANSLATE_NOOP("RunGroups", "&Day")}};
constexpr QLatin1String parameterPrefix("parameter:");

/// Where a run belongs. Groups are ordered by rank, then by number, then by text.
struct Place
{
    QString text; ///< Empty: the run has nothing of the kind.
    double number = std::numeric_limits<double>::infinity();
};

Place placeOf(const RunRow& run, const RunGrouping& grouping, const RunValues& values)
{
    switch (grouping.by) {
    case By::Lineage:
        break;
    case By::Stage:
        return {stageText(run.stage)};
    case By::Preset:
        return {toQString(run.preset)};
    case By::Algorithm:
        return {toQString(run.algorithm)};
    case By::Parent:
        return {parentText(run)};
    case By::Tag: {
        QStringList tags;
        for (const std::string& tag : run.notes.tags)
            tags.append(toQString(tag));
        tags.sort();
        return {tags.join(QStringLiteral(", "))};
    }
    case By::State:
        return {statusText(run.status), static_cast<double>(run.status)};
    case By::Host:
        return {run.remote ? toQString(run.remote->host) : tr("this machine")};
    case By::Day: {
        const QDate day = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(run.created)).date();
        return {QLocale().toString(day, QLocale::ShortFormat), -static_cast<double>(day.toJulianDay())};
    }
    case By::Parameter: {
        const auto of = values.find(run.id);
        if (of == values.end() || !of->second)
            break;
        const auto value = of->second->find(grouping.parameter);
        if (value == of->second->end())
            break;
        Place place{toQString(value->second)};
        if (place.text.isEmpty())
            place.text = tr("empty");
        bool isNumber = false;
        const double number = place.text.toDouble(&isNumber);
        if (isNumber && std::isfinite(number))
            place.number = number;
        return place;
    }
    }
    return {};
}

QString titleOf(const Place& place, const RunGrouping& grouping)
{
    if (grouping.by == By::Parameter) {
        const QString key = toQString(grouping.parameter);
        return place.text.isEmpty() ? tr("without %1").arg(key)
                                    : QStringLiteral("%1 = %2").arg(key, place.text);
    }
    if (!place.text.isEmpty())
        return grouping.by == By::Parent ? tr("from %1").arg(place.text) : place.text;
    switch (grouping.by) {
    case By::Preset:
        return tr("no preset");
    case By::Algorithm:
        return tr("no algorithm");
    case By::Parent:
        return tr("from scratch");
    case By::Tag:
        return tr("no tags");
    default:
        return tr("unknown");
    }
}

/// Best and median of the measure that most runs of the group have.
void measure(RunGroupHead& head, const std::vector<const RunRow*>& members)
{
    std::map<std::string, std::vector<double>> byName;
    for (const RunRow* run : members)
        if (!run->headline.empty() && std::isfinite(run->lastValue))
            byName[run->headline].push_back(run->lastValue);
    std::vector<double> values;
    for (auto& [name, of] : byName) {
        if (of.size() <= values.size())
            continue;
        values = std::move(of);
        head.headline = name;
    }
    if (values.empty())
        return;
    std::sort(values.begin(), values.end());
    const MetricDescription* known = findMetric(head.headline);
    const bool lower = known && known->better == MetricDescription::Better::Lower;
    head.best = lower ? values.front() : values.back();
    head.median = sortedQuantile(values, 0.5);
    head.measured = values.size();
}

} // namespace

QString RunGrouping::text() const
{
    if (by == By::Parameter)
        return parameterPrefix + toQString(parameter);
    for (const Name& name : names)
        if (name.by == by)
            return QLatin1String(name.text);
    return {};
}

RunGrouping RunGrouping::fromText(const QString& text)
{
    if (text.startsWith(parameterPrefix) && text.size() > parameterPrefix.size())
        return {By::Parameter, text.mid(parameterPrefix.size()).toStdString()};
    for (const Name& name : names)
        if (text == QLatin1String(name.text))
            return {name.by, {}};
    return {};
}

std::vector<std::pair<By, QString>> runGroupings()
{
    std::vector<std::pair<By, QString>> all;
    all.reserve(names.size());
    for (const Name& name : names)
        all.emplace_back(name.by, tr(name.title));
    return all;
}

std::vector<std::string> differingParameters(const RunValues& values)
{
    std::map<std::string, const std::string*> seen; // null: has several values
    for (const auto& [run, parameters] : values) {
        if (!parameters)
            continue;
        for (const auto& [key, value] : *parameters) {
            const auto [at, fresh] = seen.try_emplace(key, &value);
            if (!fresh && at->second && *at->second != value)
                at->second = nullptr;
        }
    }
    std::vector<std::string> keys;
    for (const auto& [key, value] : seen)
        if (!value)
            keys.push_back(key);
    return keys;
}

std::optional<std::string> tellingParameter(const RunValues& values, const std::vector<RunRow>& runs,
                                            const std::string& headline)
{
    RunValues those;
    for (const RunRow& run : runs)
        if (const auto at = values.find(run.id); at != values.end() && run.headline == headline)
            those.insert(*at);
    for (const std::string& key : differingParameters(those))
        if (!key.starts_with("alarm.") && !key.ends_with("seed"))
            return key;
    return std::nullopt;
}

std::vector<RunRow> inGroups(std::vector<RunRow> rows, const RunGrouping& grouping, const RunValues& values,
                             const std::set<QString>& collapsed,
                             const std::function<bool(const RunRow&)>& passes)
{
    if (!grouping.active())
        return rows;
    struct Group
    {
        Place place;
        std::vector<std::size_t> members;
    };
    std::map<QString, Group> byText;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Place place = placeOf(rows[i], grouping, values);
        Group& group = byText[place.text];
        group.place = std::move(place);
        group.members.push_back(i);
    }
    std::vector<Group*> order;
    order.reserve(byText.size());
    for (auto& [text, group] : byText)
        order.push_back(&group);
    QCollator collator;
    collator.setNumericMode(true);
    std::sort(order.begin(), order.end(), [&](const Group* a, const Group* b) {
        if (a->place.text.isEmpty() != b->place.text.isEmpty())
            return b->place.text.isEmpty();
        if (a->place.number != b->place.number)
            return a->place.number < b->place.number;
        return collator.compare(a->place.text, b->place.text) < 0;
    });
    std::vector<RunRow> grouped;
    grouped.reserve(rows.size() + order.size());
    int number = 0;
    for (const Group* group : order) {
        auto head = std::make_shared<RunGroupHead>();
        // A slash: no run is called like that.
        head->key = QStringLiteral("/%1/%2").arg(grouping.text(), group->place.text);
        head->title = titleOf(group->place, grouping);
        head->collapsed = collapsed.contains(head->key);
        std::vector<const RunRow*> members;
        for (const std::size_t i : group->members) {
            if (!passes(rows[i]))
                continue;
            members.push_back(&rows[i]);
            head->runs.push_back(rows[i].id);
            head->charted = head->charted || rows[i].charted;
        }
        measure(*head, members);
        head->colour = runColour(members.empty() ? rows[group->members.front()] : *members.front());
        RunRow row;
        row.group = number;
        row.head = head;
        grouped.push_back(std::move(row));
        for (const std::size_t i : group->members) {
            grouped.push_back(std::move(rows[i]));
            grouped.back().group = number;
            grouped.back().depth = 1;
            grouped.back().hidden = head->collapsed;
        }
        ++number;
    }
    return grouped;
}

} // namespace sparserl
