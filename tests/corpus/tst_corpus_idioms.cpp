// SPDX-License-Identifier: Apache-2.0
// Texts to learn CUDA from: general idioms, and kernels of the families without their plans.
#include "base/rng.h"
#include "compile/nvrtc.h"
#include "corpus/corpus.h"
#include "corpus/idioms.h"

#include <QTest>
#include <fmt/format.h>
#include <optional>
#include <set>

using namespace sparserl;

class TestCorpusIdioms : public QObject
{
    Q_OBJECT

private:
    std::optional<Nvrtc> m_compiler;

    void compiles(const DerivedProgram& program)
    {
        const auto output = m_compiler->compile(program.text, {});
        QVERIFY2(output, output ? "" : output.error().sentence().c_str());
        QVERIFY2(output->ok, (program.family + " " + parametersJson(program.parameters) + "\n" + output->log +
                              program.text)
                                 .c_str());
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto compiler = Nvrtc::load();
        QVERIFY2(compiler, compiler ? "" : compiler.error().sentence().c_str());
        m_compiler.emplace(std::move(*compiler));
    }

    void everyIdiomCompiles_data()
    {
        QTest::addColumn<QString>("id");
        for (const auto& idiom : idioms())
            QTest::newRow(idiom.id.c_str()) << QString::fromStdString(idiom.id);
    }
    /// Every value of every parameter, each in another style.
    void everyIdiomCompiles()
    {
        QFETCH(QString, id);
        const auto& all = idioms();
        const auto idiom =
            std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.id == id.toStdString(); });
        Rng rng(3);
        for (const auto& parameter : idiom->parameters) {
            for (const auto value : parameter.values) {
                const auto program =
                    deriveIdiom(idiom->id, {{parameter.name, value}}, Style::sample(1.0, rng));
                QVERIFY2(program, program ? "" : program.error().sentence().c_str());
                compiles(*program);
            }
        }
        QVERIFY(!deriveIdiom(idiom->id, {{"block", 3}, {"tile", 3}}, {}));
        QVERIFY(!deriveIdiom("S1", {}, {}));
    }

    void drawsDiffer()
    {
        std::set<std::string> texts, names;
        Rng rng(5);
        for (int i = 0; i < 1000; ++i) {
            const auto program = sampleIdiom(0.6, rng);
            texts.insert(program.text);
            names.insert(program.family);
            QVERIFY2(program.text.find("//!") == std::string::npos, program.text.c_str());
        }
        QCOMPARE(names.size(), idioms().size());
        QVERIFY2(texts.size() > 700, std::to_string(texts.size()).c_str());
        Rng again(5), other(6);
        Rng first(5);
        QCOMPARE(sampleIdiom(0.6, again).text, sampleIdiom(0.6, first).text);
        QVERIFY(sampleIdiom(0.6, again).text != sampleIdiom(0.6, other).text);
    }

    /// Every family of both tasks without its plan: a text that compiles by itself, is no program of
    /// fine-tuning, and has the same code as the program.
    void familiesWithoutAPlan()
    {
        Rng rng(7);
        for (const Task task : {Task::SpMV, Task::SpMM}) {
            for (const auto& family : families(task)) {
                for (const double variety : {0.0, 0.9}) {
                    const Style style = Style::sample(variety, rng);
                    const auto whole = derive(family.id, {}, style),
                               code = derive(family.id, {}, style, false);
                    QVERIFY(whole && code);
                    compiles(*code);
                    QVERIFY(whole->text.starts_with("//! task "));
                    QVERIFY2(code->text.find("//!") == std::string::npos, code->text.c_str());
                    QCOMPARE(codeOf(code->text), codeOf(whole->text));
                    QVERIFY(codeOf(whole->text).size() > 50);
                    QVERIFY(whole->text.ends_with(codeOf(whole->text)));
                }
            }
        }
        SampleOptions options;
        options.withPlan = false;
        options.maxBytes = 700;
        const auto sampled = sampleProgram(Task::SpMV, options, rng);
        QVERIFY(sampled && sampled->text.find("//!") == std::string::npos && sampled->text.size() <= 700);
    }

    void codeOfOddTexts()
    {
        QCOMPARE(codeOf(""), std::string_view());
        QCOMPARE(codeOf("//! task spmv"), std::string_view());
        QCOMPARE(codeOf("int x;\n//! const A = 1\n"), std::string_view("int x;\n//! const A = 1\n"));
    }
};

QTEST_GUILESS_MAIN(TestCorpusIdioms)
#include "tst_corpus_idioms.moc"
