// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/format.h"

#include "widgets/common/translate.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

namespace sparserl {

namespace {

QString significant(double value, int digits)
{
    return QLocale().toString(value, 'g', digits);
}

QString scaled(double value, const QString& unit)
{
    const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
    return QLocale().toString(value, 'f', decimals) + QChar(0x00a0) + unit;
}

} // namespace

QString formatCount(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

QString formatShortCount(double value)
{
    const double size = std::abs(value);
    if (size >= 1e9)
        return scaled(value / 1e9, QStringLiteral("G"));
    if (size >= 1e6)
        return scaled(value / 1e6, QStringLiteral("M"));
    if (size >= 1e4)
        return scaled(value / 1e3, QStringLiteral("k"));
    return QLocale().toString(value, 'f', value == std::floor(value) ? 0 : 1);
}

QString formatNumber(double value, int digits)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return significant(value, digits);
}

QString formatMicroseconds(double microseconds)
{
    if (!std::isfinite(microseconds))
        return formatNumber(microseconds);
    if (std::abs(microseconds) >= 1e6)
        return scaled(microseconds / 1e6, QStringLiteral("s"));
    if (std::abs(microseconds) >= 1e3)
        return scaled(microseconds / 1e3, QStringLiteral("ms"));
    return scaled(microseconds, QStringLiteral("µs"));
}

QString formatRatio(double ratio)
{
    if (ratio <= 0 || !std::isfinite(ratio))
        return QStringLiteral("–");
    return QLocale().toString(ratio, 'f', ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2) + QStringLiteral("×");
}

QString formatDigits(double value, int digits)
{
    const double size = std::abs(value);
    if (!std::isfinite(value) || size >= 1e15 || (size < 1e-4 && size > 0))
        return formatNumber(value, digits);
    const int before = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
    if (before >= digits)
        return QLocale().toString(value, 'f', 0);
    return significant(value, digits);
}

QString formatPercent(double fraction)
{
    if (!std::isfinite(fraction))
        return formatNumber(fraction);
    // What would be shown as 0 or as all, and is neither.
    const double size = std::abs(fraction), rest = std::abs(1 - size);
    constexpr double least = 1e-9, few = 0.01, half = 0.0005;
    int decimals = size >= 1 - half ? 0 : 1;
    const double said = size < few ? size : size < 1 && rest < half ? rest : 0;
    if (said >= least)
        decimals = static_cast<int>(std::ceil(-std::log10(said * 100))) + (size < few ? 1 : 0);
    else if (said > 0 && size < few)
        return formatNumber(fraction * 100, 2) + QChar(0x00a0) + QLatin1Char('%');
    return QLocale().toString(fraction * 100, 'f', decimals) + QChar(0x00a0) + QLatin1Char('%');
}

QString formatBytes(double bytes)
{
    if (bytes >= 1 << 30)
        return scaled(bytes / (1 << 30), QStringLiteral("GiB"));
    if (bytes >= 1 << 20)
        return scaled(bytes / (1 << 20), QStringLiteral("MiB"));
    if (bytes >= 1 << 10)
        return scaled(bytes / (1 << 10), QStringLiteral("KiB"));
    return QLocale().toString(bytes, 'f', 0) + QChar(0x00a0) + QStringLiteral("B");
}

QString formatDuration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return QStringLiteral("–");
    if (seconds < 9.95)
        return tr("%1 s").arg(QLocale().toString(seconds, 'f', 1));
    const auto whole = qRound64(seconds);
    if (whole < 60)
        return tr("%1 s").arg(whole);
    if (whole < 3600)
        return tr("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60, 2, 10, QLatin1Char('0'));
}

QString formatAgo(double unixSeconds, double now)
{
    const double age = now - unixSeconds;
    if (unixSeconds <= 0)
        return QStringLiteral("–");
    if (age < 5)
        return tr("just now");
    if (age < 60)
        return tr("%1 s ago").arg(static_cast<int>(age));
    if (age < 3600)
        return tr("%1 min ago").arg(static_cast<int>(age / 60));
    if (age < 86400)
        return tr("%1 h ago").arg(static_cast<int>(age / 3600));
    const auto when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(unixSeconds * 1000));
    return QLocale().toString(when, QLocale::ShortFormat);
}

QString counted(std::int64_t count, const QString& one, const QString& many)
{
    return count == 1 ? one : many.arg(formatCount(count));
}

QString shortHash(const std::string& hash)
{
    return toQString(std::string_view(hash).substr(0, 10));
}

QString sentenceOf(const Error& error)
{
    return toQString(error.sentence());
}

namespace {

/// Whether a sentence begins with a name, whose case is its own: model_type, rl.lr, add20, x, "m: ...".
bool beginsWithName(const QString& said)
{
    const QString word = said.section(QLatin1Char(' '), 0, 0);
    if (word.size() == 1)
        return word != QLatin1String("a");
    for (qsizetype i = 1; i < word.size(); ++i) {
        const QChar c = word[i];
        const bool last = i + 1 == word.size();
        if (c.isUpper() || c.isDigit() || c == QLatin1Char(':') ||
            (!last && QStringLiteral("_./=(").contains(c)))
            return true;
    }
    return false;
}

} // namespace

QString asSentence(QString said)
{
    if (said.isEmpty())
        return said;
    if (!beginsWithName(said))
        said[0] = said[0].toUpper();
    static const QString ends = QStringLiteral(".!?:;)…\n");
    return ends.contains(said.back()) ? said : said + QLatin1Char('.');
}

} // namespace sparserl
