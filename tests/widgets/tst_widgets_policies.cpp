// SPDX-License-Identifier: Apache-2.0
// What the files of policies say, in the list of policies and in the form of a new run.
#include "app/workbench/policies_dialog.h"
#include "base/files.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "training/parameters/parameter_keys.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/theme.h"
#include "widgets/training/launch_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace sparserl;
using nlohmann::json;

namespace {

/// A policy of a qwen2 with adapters, whose weights are a hole in the file. `rows` add 2 MiB each.
void writePolicy(const std::filesystem::path& folder, std::int64_t rows = 0)
{
    const json config{{"model_type", "qwen2"},
                      {"vocab_size", 1000},
                      {"hidden_size", 64},
                      {"intermediate_size", 128},
                      {"num_hidden_layers", 3},
                      {"num_attention_heads", 4},
                      {"num_key_value_heads", 2},
                      {"sparserl",
                       {{"format", 1},
                        {"chat", "qwen2.5"},
                        {"text_entries", 64},
                        {"generation", {{"max_tokens", 512}, {"temperature", 1.0}}},
                        {"lora", {{"r", 8}, {"lora_alpha", 16}, {"target_modules", {"q_proj", "v_proj"}}}}}}};
    json header = json::object();
    std::int64_t at = 0;
    const auto add = [&](const std::string& name, const char* type, int bytes, std::int64_t rows,
                         std::int64_t columns) {
        const std::int64_t end = at + rows * columns * bytes;
        header[name] = {{"dtype", type}, {"shape", {rows, columns}}, {"data_offsets", {at, end}}};
        at = end;
    };
    add("model.embed_tokens.weight", "BF16", 2, 1000, 64);
    add("model.layers.0.self_attn.q_proj.weight", "BF16", 2, 64, 64);
    add("model.layers.0.self_attn.q_proj.lora_A.weight", "F32", 4, 8, 64);
    add("model.layers.0.self_attn.q_proj.lora_B.weight", "F32", 4, 64, 8);
    if (rows > 0)
        add("model.layers.1.mlp.up_proj.weight", "BF16", 2, rows, 1 << 20);
    const std::string text = header.dump();
    std::string begin(8, '\0');
    for (std::size_t i = 0; i < begin.size(); ++i)
        begin[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
    QVERIFY(writeFileAtomic(folder / "config.json", config.dump()));
    QVERIFY(writeFileAtomic(folder / "tokenizer.json", "{}"));
    QVERIFY(writeFileAtomic(folder / "model.safetensors", begin + text));
    std::filesystem::resize_file(folder / "model.safetensors",
                                 begin.size() + text.size() + static_cast<std::uintmax_t>(at));
    QVERIFY(writeFileAtomic(folder / "LICENSE", "Be <b>kind</b>.\n"));
}

} // namespace

class TestWidgetsPolicies : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CONFIG_HOME", m_config.path().toUtf8());
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        const auto indexed = [this] {
            auto reader = ProjectReader::open(path());
            const auto runs = reader ? reader->runs() : Result<std::vector<RunSummary>>(fail(reader.error()));
            return runs && !runs->empty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(indexed(), patience);
        writePolicy(path() / "policies/good");
        writePolicy(path() / "policies/huge", 1 << 20); // 2 TiB, of which nothing is on the disk
        std::filesystem::create_directories(path() / "policies/broken");
        QVERIFY(writeFileAtomic(path() / "policies/broken/config.json", R"({"sparserl":{}})"));
        QVERIFY(writeFileAtomic(path() / "policies/broken/model.safetensors", "x"));
    }
    void cleanupTestCase()
    {
        m_session.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void policiesAreListed()
    {
        PoliciesDialog dialog(m_session.get(), nullptr);
        dialog.show();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.loading(), patience);
        QCOMPARE(test::richLabels(dialog), QStringList());
        QCOMPARE(test::sharedKeys(dialog), QStringList());
        const auto rowOf = [&](const char* name) {
            for (int row = 0; row < dialog.table()->rowCount(); ++row)
                if (dialog.table()->item(row, 0)->text() == QLatin1String(name))
                    return row;
            return -1;
        };
        const auto cells = [&](int row) {
            QStringList texts;
            for (int column = 1; column < dialog.table()->columnCount(); ++column)
                texts << dialog.table()->item(row, column)->text();
            return texts;
        };
        const int good = rowOf("Imported / good"), broken = rowOf("Imported / broken");
        QVERIFY(good >= 0 && broken >= 0);
        QCOMPARE(cells(good),
                 (QStringList{QStringLiteral("qwen2, 3 layers of width 64"),
                              QStringLiteral("69,120, 1,024 of them learn"), QStringLiteral("1,000"),
                              QStringLiteral("rank 8 on q_proj, v_proj"), QStringLiteral("LICENSE")}));
        dialog.table()->selectRow(good);
        QCOMPARE(dialog.licence()->toPlainText(), QStringLiteral("Be <b>kind</b>.\n"));
        QVERIFY2(dialog.about()->text().endsWith(QLatin1String(
                     ": qwen2, 3 layers of width 64; weights: 69,120, 1,024 of them learn; 1,000 "
                     "tokens; adapters: rank 8 on q_proj, v_proj; reads 64 entries of a matrix in "
                     "words; chat format qwen2.5; licence in LICENSE.")),
                 qPrintable(dialog.about()->text()));
        pictures(dialog, "policies");
        QCOMPARE(cells(broken).front(), QStringLiteral("cannot be read"));
        dialog.table()->selectRow(broken);
        QVERIFY2(dialog.about()->text().contains(QLatin1String("this is not a safetensors file")),
                 qPrintable(dialog.about()->text()));
        QVERIFY(dialog.licence()->toPlainText().isEmpty());
    }

    void aLaunchTellsItsMemory()
    {
        LaunchDialog dialog({}, path(), nullptr);
        dialog.show();
        QVERIFY(!dialog.policyFacts()->isVisible() && !dialog.memory()->isVisible());
        auto* parents = dialog.findChildren<QComboBox*>().value(2);
        parents->setCurrentIndex(parents->findText(QStringLiteral("Imported / good")));
        QVERIFY(dialog.policyFacts()->isVisible() && dialog.memory()->isVisible());
        QVERIFY(dialog.policyFacts()->text().startsWith(QLatin1String("qwen2, 3 layers of width 64; ")));
        const auto said = [&] { return dialog.memory()->text().simplified(); }; // units are not broken off
        const QString before = said();
        QVERIFY2(before.startsWith(QLatin1String("The stage needs about ")) &&
                     before.contains(QLatin1String("optimizer 8.00 KiB")) &&
                     before.contains(QLatin1String("gradients 4.00 KiB")),
                 qPrintable(before));
        // More programs at once take more, and so does a critic.
        dialog.form()->enter(std::string(param::sft::microBatch.key), QStringLiteral("64"));
        QVERIFY(said() != before);
        dialog.choose("rl", "quickstart-ppo", path() / "policies/good");
        QVERIFY2(said().contains(QLatin1String("optimizer 16.0 KiB")), qPrintable(said()));
        pictures(dialog, "launch_memory");
        dialog.form()->enter(std::string(param::rl::algorithm.key), QStringLiteral("grpo"));
        QVERIFY2(said().contains(QLatin1String("optimizer 8.00 KiB")), qPrintable(said()));
        parents->setCurrentIndex(parents->findText(QStringLiteral("Imported / broken")));
        QVERIFY2(dialog.policyFacts()->text().contains(QLatin1String("this is not a safetensors file")),
                 qPrintable(dialog.policyFacts()->text()));
        QVERIFY(!dialog.memory()->isVisible());
        parents->setCurrentIndex(0);
        QVERIFY(!dialog.policyFacts()->isVisible() && !dialog.memory()->isVisible());
    }

    void aLaunchTellsWhatDoesNotFit()
    {
        LaunchDialog dialog({}, path(), nullptr);
        dialog.resize(900, 700);
        dialog.show();
        QVERIFY(!dialog.tooLarge()->isVisible());
        auto* parents = dialog.findChildren<QComboBox*>().value(2);
        dialog.form()->enter(std::string(param::device.key), QStringLiteral("cpu"));
        parents->setCurrentIndex(parents->findText(QStringLiteral("Imported / good")));
        QVERIFY(!dialog.tooLarge()->isVisible());
        parents->setCurrentIndex(parents->findText(QStringLiteral("Imported / huge")));
        QVERIFY(dialog.tooLarge()->isVisible());
        const QString said = dialog.tooLarge()->text().simplified();
        QVERIFY2(said.startsWith(QLatin1String("This machine has ")) &&
                     said.endsWith(QLatin1String(": the stage will not fit. Take a smaller policy.")),
                 qPrintable(said));
        QVERIFY2(dialog.memory()->text().simplified().contains(QLatin1String("weights 2,048 GiB")),
                 qPrintable(dialog.memory()->text()));
        pictures(dialog, "launch_too_large");
        parents->setCurrentIndex(0);
        QVERIFY(!dialog.tooLarge()->isVisible());
    }

private:
    static void pictures(QWidget& window, const std::string& name)
    {
        for (const bool dark : {false, true}) {
            applyTheme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
            QVERIFY(window.grab().save(toQString(name + (dark ? "-dark.png" : "-light.png"))));
        }
        applyTheme(*qApp, ThemeChoice::Light);
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    QTemporaryDir m_directory, m_config;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsPolicies)
#include "tst_widgets_policies.moc"
