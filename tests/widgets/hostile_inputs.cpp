// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/hostile_inputs.h"

#include "base/printable.h"
#include "tests/base/hostile_names.h"
#include "widgets/common/format.h"

namespace sparserl::test {

std::vector<std::pair<std::string, QString>> hostileInputs()
{
    std::vector<std::pair<std::string, QString>> all;
    const auto add = [&](const char* name, const QString& text) { all.emplace_back(name, text); };
    add("nothing", {});
    add("blanks", QStringLiteral("   \t "));
    add("picture", QStringLiteral("<img src=\"/dev/zero\">"));
    add("link", QStringLiteral("<a href=\"file:///etc/passwd\">click</a>"));
    add("lines", QStringLiteral("one\ntwo\r\nthree"));
    add("control characters", QStringLiteral("\x1b[2J\x07\x08\x7f"));
    add("NUL", QStringLiteral("/tmp/before") + QChar(QChar::Null) + QStringLiteral("/behind"));
    add("bidirectional", QStringLiteral("/tmp/\u202egpj.exe\u2066\u200b"));
    add("half a character", QString(QChar(0xd800)));
    add("one word of 100,000", QString(100'000, QLatin1Char('x')));
    add("words of 100,000", QStringLiteral("word \u00e9 ").repeated(12'500));
    add("patterns of 100,000", QStringLiteral("%_\\").repeated(33'333));
    add("brackets of 100,000", QString(100'000, QLatin1Char('(')));
    add("a long path", QStringLiteral("/tmp/") + QStringLiteral("deep/").repeated(800));
    add("a path with a long name", QStringLiteral("/tmp/") + QString(300, QLatin1Char('n')));
    add("up", QStringLiteral("../../../../tmp/elsewhere"));
    add("a relative path", QStringLiteral("elsewhere"));
    add("home of another", QStringLiteral("~root/elsewhere"));
    add("an option", QStringLiteral("--help"));
    add("a huge number", QStringLiteral("1e999999"));
    add("a long number", QString(400, QLatin1Char('9')));
    add("no number", QStringLiteral("nan"));
    add("less than all", QStringLiteral("-99999999999999999999"));
    add("a host that is an option", QStringLiteral("-oProxyCommand=touch pwned"));
    add("a command", QStringLiteral("$(touch pwned);`touch pwned`"));
    for (const std::string& name : hostileNames())
        all.emplace_back("name " + shortened(printable(name), 40), toQString(name));
    return all;
}

} // namespace sparserl::test
