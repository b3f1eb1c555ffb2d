// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/target_text.h"

#include "target/family_names.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

namespace sparserl {

QString taskText(Task task)
{
    return task == Task::SpMV ? tr("SpMV") : task == Task::SpMM ? tr("SpMM") : tr("Operator");
}

QString taskText(const std::string& words)
{
    const auto space = words.find(' ');
    const auto task = taskFromName(words.substr(0, space));
    const QString text = task ? taskText(*task) : toQString(words.substr(0, space));
    return space == std::string::npos ? text : tr("%1, %2").arg(text, toQString(words.substr(space + 1)));
}

QString targetText(const TargetId& target)
{
    QString text = target.task() == Task::SpMM
                       ? tr("%1, %2 columns").arg(toQString(target.name), formatCount(target.variant.columns))
                       : toQString(target.name);
    if (target.variant.type != ElementType::F32)
        text = tr("%1, %2").arg(text, toQString(nameOf(target.variant.type)));
    return text;
}

QString familyText(const std::string& id)
{
    return id.empty() ? QStringLiteral("–") : toQString(familyTitle(id));
}

QStringList targetArguments(const TargetId& target)
{
    return target.task() == Task::SpMM
               ? QStringList{QStringLiteral("--columns"), QString::number(target.variant.columns)}
               : QStringList();
}

} // namespace sparserl
