// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/parameters.h"
#include "base/toml.h"

#include <QTest>

#include <stdexcept>

using namespace sparserl;

namespace {

ParameterDeclarations declarations()
{
    using P = ParameterSpec;
    return {P::real("ppo.clip_range", 0.2)
                .range(0, 1)
                .help("Clip.")
                .source("SparseRL A.4")
                .nextIteration()
                .group("PPO"),
            P::integer("ppo.epochs", 4).atLeast(1).unit("passes").help("Epochs.").live().group("PPO"),
            P::boolean("sft.shuffle", true).help("Shuffle.").group("SFT"),
            P::choice("rl.algorithm", "ppo", {"ppo", "grpo"}).help("Algorithm."),
            P::text("note", "").help("A note."),
            P::real("lr", 1e-4).above(0)};
}

} // namespace

class TestParameters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void defaultsAndTypes()
    {
        ParameterSet set(declarations());
        QCOMPARE(set.real("ppo.clip_range"), 0.2);
        QCOMPARE(set.integer("ppo.epochs"), std::int64_t(4));
        QCOMPARE(set.real("ppo.epochs"), 4.0);
        QCOMPARE(set.boolean("sft.shuffle"), true);
        QCOMPARE(set.text("rl.algorithm"), std::string("ppo"));
        QVERIFY(set.isDefault("lr"));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, (void)set.real("nothing"));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, (void)set.boolean("lr"));
        QVERIFY_THROWS_EXCEPTION(std::logic_error,
                                 (ParameterDeclarations{ParameterSpec::real("x", 2).range(0, 1)}));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, (ParameterDeclarations{ParameterSpec::real("x", 2),
                                                                          ParameterSpec::integer("x", 1)}));
    }

    void parsing_data()
    {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("value"); // Empty: refused.
        QTest::newRow("real") << QStringLiteral("ppo.clip_range=0.3") << QStringLiteral("0.3");
        QTest::newRow("exponent") << QStringLiteral("lr = 1e-5") << QStringLiteral("1e-05");
        QTest::newRow("integer as real") << QStringLiteral("ppo.clip_range=1") << QStringLiteral("1");
        QTest::newRow("plus") << QStringLiteral("ppo.epochs=+8") << QStringLiteral("8");
        QTest::newRow("1e2 is an integer") << QStringLiteral("ppo.epochs=1e2") << QStringLiteral("100");
        QTest::newRow("yes") << QStringLiteral("sft.shuffle=off") << QStringLiteral("false");
        QTest::newRow("choice") << QStringLiteral("rl.algorithm=grpo") << QStringLiteral("grpo");
        QTest::newRow("text with =") << QStringLiteral("note=a = b") << QStringLiteral("a = b");
        QTest::newRow("too large") << QStringLiteral("ppo.clip_range=1.5") << QString();
        QTest::newRow("excluded minimum") << QStringLiteral("lr=0") << QString();
        QTest::newRow("no integer") << QStringLiteral("ppo.epochs=2.5") << QString();
        QTest::newRow("below") << QStringLiteral("ppo.epochs=0") << QString();
        QTest::newRow("not a number") << QStringLiteral("lr=fast") << QString();
        QTest::newRow("trailing") << QStringLiteral("lr=1e-4x") << QString();
        QTest::newRow("nan") << QStringLiteral("lr=nan") << QString();
        QTest::newRow("empty") << QStringLiteral("lr=") << QString();
        QTest::newRow("no choice") << QStringLiteral("rl.algorithm=sarsa") << QString();
        QTest::newRow("unknown") << QStringLiteral("ppo.clip=1") << QString();
        QTest::newRow("no =") << QStringLiteral("lr") << QString();
    }
    void parsing()
    {
        QFETCH(QString, assignment);
        QFETCH(QString, value);
        ParameterSet set(declarations());
        const ParameterSet before = set;
        const std::string text = assignment.toStdString();
        const auto status = set.setAssignment(text);
        if (value.isNull()) {
            QVERIFY(!status.has_value());
            QVERIFY(!status.error().what.empty());
            QVERIFY(set == before);
            return;
        }
        QVERIFY2(status.has_value(), status ? "" : status.error().sentence().c_str());
        std::string key = text.substr(0, text.find('='));
        key.erase(key.find_last_not_of(' ') + 1);
        QCOMPARE(toText(set.value(key)), value.toStdString());
    }

    void errorsNameKeyRangeAndNearest()
    {
        ParameterSet set(declarations());
        const auto range = set.setText("ppo.clip_range", "7");
        QCOMPARE(range.error().sentence(),
                 std::string(
                     "parameter ppo.clip_range: \"7\" is out of range. Give a value of type real in [0, 1]"));
        QVERIFY(set.setText("ppo.clip_rang", "1").error().remedy.find("ppo.clip_range") != std::string::npos);
        QVERIFY(set.setText("rl.algorithm", "x").error().remedy.find("ppo, grpo") != std::string::npos);
    }

    void tomlAndJsonRoundTrip()
    {
        ParameterSet set(declarations());
        const auto beyond = set.merge(nlohmann::json{{"ppo.epochs", 18446744073709551615ull}});
        QVERIFY(!beyond.has_value() && beyond.error().what.find("64 bits") != std::string::npos);
        QVERIFY(set.setAssignment("lr=0.1").has_value());
        QVERIFY(set.setAssignment("note=two\nlines \"quoted\"").has_value());
        QVERIFY(set.setAssignment("ppo.epochs=9").has_value());
        const std::string text = formatToml(set.toToml());
        ParameterSet copy(declarations());
        const auto table = parseToml(text);
        QVERIFY(table.has_value());
        QVERIFY(copy.merge(*table).has_value());
        QVERIFY(copy == set);
        QCOMPARE(table->at_path("ppo.epochs").value<int>().value(), 9);
        ParameterSet third(declarations());
        QVERIFY(third.merge(set.toJson()).has_value());
        QVERIFY(third == set);
        QCOMPARE(set.differences(ParameterSet(declarations())),
                 (std::vector<std::string>{"ppo.epochs", "note", "lr"}));
    }

    // However a number comes: what does not fit is refused, never wrapped, cut or taken for infinity.
    void numbersThatDoNotFit_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("number");
        QTest::addColumn<bool>("fits");
        const auto row = [](const char* key, const char* number, bool fits) {
            QTest::addRow("%s = %s", key, number) << QByteArray(key) << QByteArray(number) << fits;
        };
        for (const char* number : {"9223372036854775808", "-9223372036854775809", "18446744073709551615",
                                   "18446744073709551616", "1e19", "1e400", "-1e400", "2.5"})
            row("ppo.epochs", number, false);
        for (const char* number : {"3", "3.0", "3e0"})
            row("ppo.epochs", number, true);
        for (const char* number : {"1e400", "-1e400", "1e999999999"})
            row("lr", number, false);
        for (const char* number : {"-0.0", "-0", "0.25"})
            row("ppo.clip_range", number, true);
    }
    void numbersThatDoNotFit()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, number);
        QFETCH(bool, fits);
        const ParameterSet before(declarations());
        ParameterSet text = before, toml = before, json = before;
        const std::string name = key.toStdString(), value = number.toStdString();
        const auto table = parseToml(name + " = " + value + "\n");
        const auto object = parseJson("{\"" + name + "\": " + value + "}");
        const bool taken[] = {text.setText(name, value).has_value(), table && toml.merge(*table).has_value(),
                              object && json.merge(*object).has_value()};
        for (const bool one : taken)
            QCOMPARE(one, fits);
        for (const ParameterSet* set : {&text, &toml, &json}) {
            if (!fits)
                QVERIFY(*set == before);
            else
                QCOMPARE(set->value(name) == ParameterValue(std::int64_t{3}) ? 3.0 : set->real(name),
                         number.toDouble());
        }
    }

    void mergeIsAllOrNothingAndTellsTheLine()
    {
        ParameterSet set(declarations());
        const ParameterSet before = set;
        const auto table = parseToml("lr = 0.5\n[ppo]\nepochs = 2\nclip_range = 3.0\n", "preset.toml");
        const auto status = set.merge(*table, "preset.toml");
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().file, std::string("preset.toml"));
        QCOMPARE(status.error().line, 4);
        QVERIFY(set == before);
        QVERIFY(!set.merge(*parseToml("[ppo]\nspeed = 1\n")).has_value());
        QVERIFY(!set.merge(*parseToml("lr = [1, 2]\n")).has_value());
        QVERIFY(!set.merge(nlohmann::json::parse(R"({"lr": null})")).has_value());
        QVERIFY(set == before);
    }

    void descriptions()
    {
        const auto list = declarations();
        const std::string help = list.describe();
        QVERIFY(help.find("ppo.clip_range") != std::string::npos);
        QVERIFY(help.find("default 4 passes; at least 1; live") != std::string::npos);
        QCOMPARE(list.toJson().size(), list.specs().size());
        QCOMPARE(list.toJson()[3]["choices"].size(), std::size_t(2));
    }
};

QTEST_GUILESS_MAIN(TestParameters)
#include "tst_parameters.moc"
