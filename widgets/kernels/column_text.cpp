// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/column_text.h"

#include <QLocale>
#include <cmath>

namespace sparserl {

namespace {

QString fixed(double value, int decimals, const QString& unit)
{
    return QLocale().toString(value, 'f', decimals) + unit;
}

const QString none = QStringLiteral("–");

} // namespace

QString columnRatio(double ratio)
{
    return std::isfinite(ratio) && ratio > 0 ? fixed(ratio, 2, QStringLiteral("×")) : none;
}

QString columnMicroseconds(double microseconds)
{
    return std::isfinite(microseconds) && microseconds > 0
               ? fixed(microseconds, 2, QString(QChar(0x00a0)) + QStringLiteral("µs"))
               : none;
}

QString columnReward(double reward)
{
    return std::isfinite(reward) ? fixed(reward, 3, {}) : none;
}

} // namespace sparserl
