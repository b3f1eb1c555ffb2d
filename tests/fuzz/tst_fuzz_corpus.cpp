// SPDX-License-Identifier: Apache-2.0
// Every input of every fuzz target's corpus, through the same functions that libFuzzer calls.
#include "base/files.h"
#include "fuzz.h"
#include "fuzz_names.h"

#include <QTest>

using namespace sparserl;

class TestFuzzCorpus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void holds_data()
    {
        QTest::addColumn<int>("target");
        for (std::size_t i = 0; i < fuzz::targets.size(); ++i)
            QTest::newRow(fuzz::targets[i].name) << static_cast<int>(i);
    }

    void holds()
    {
        QFETCH(int, target);
        const fuzz::Target& one = fuzz::targets[static_cast<std::size_t>(target)];
        const auto files =
            listDirectory(std::filesystem::path(SPARSERL_SOURCE_DIR "/tests/fuzz/corpus") / one.name);
        QVERIFY2(files.has_value() && !files->empty(), "the target has no corpus");
        for (const auto& file : *files) {
            const auto bytes = readFile(file);
            QVERIFY(bytes.has_value());
            try {
                QCOMPARE(one.run(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()), 0);
            } catch (const fuzz::PropertyBroken& broken) {
                QFAIL((file.string() + ": " + broken.text).c_str());
            }
        }
    }

    /// A corpus is to be read by people and replayed in seconds.
    void staysSmall()
    {
        for (const fuzz::Target& one : fuzz::targets) {
            const auto files =
                listDirectory(std::filesystem::path(SPARSERL_SOURCE_DIR "/tests/fuzz/corpus") / one.name);
            QVERIFY(files.has_value());
            std::uintmax_t bytes = 0;
            for (const auto& file : *files)
                bytes += std::filesystem::file_size(file);
            QVERIFY2(files->size() <= 60 && bytes <= 200000, one.name);
        }
    }
};

QTEST_GUILESS_MAIN(TestFuzzCorpus)
#include "tst_fuzz_corpus.moc"
