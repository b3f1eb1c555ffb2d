// SPDX-License-Identifier: Apache-2.0
// Filter expressions of the library: what they match, and what they say about mistakes.
#include "project/queries/matrix_filter.h"

#include <QTest>

using namespace sparserl;

namespace {

struct Sample
{
    MatrixRow row;
    std::optional<MatrixFeatures> features;
};

Sample sample(const char* name, const char* structure, const char* split, std::int64_t nnz, double mean)
{
    Sample s;
    s.row.name = name;
    s.row.matrixClass = structure;
    s.row.split = split;
    s.row.source = std::string("matrices/") + name + ".mtx.gz";
    s.features.emplace();
    s.features->nnz = s.row.nnz = nnz;
    s.features->rowMean = mean;
    s.features->density = 0.25;
    return s;
}

} // namespace

class TestMatrixFilter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matches_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected"); // names, in the order below
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(text) << text << expected;
        };
        row("", "tri bus web new");
        row("nnz > 1e5", "web");
        row("nnz>=1000", "tri bus web");
        row("nnz < 1M and nnz > 1k", "bus");
        row("nnz = 1000", "tri");
        row("strong_components < 5", "tri"); // of the others it is not known
        row("not strong_components > 5", "tri bus web new");
        row("nnz != 1000", "bus web"); // what has not been read has no number
        row("not nnz = 1000", "bus web new");
        row("class = banded", "tri");
        row("class = BANDED/narrow", "tri");
        row("class = band", "");
        row("class ~ band", "tri");
        row("class != banded", "bus web new");
        row("split = held-out", "web");
        row("nnz > 1e3 and split = train or name = tri", "tri bus");
        row("name = tri or nnz > 1e3 and split = train", "tri bus"); // and binds closer
        row("(name = tri or nnz > 1e3) and split = train", "tri bus");
        row("(name = tri or nnz > 1e3) split = held-out", "web"); // and may be left out
        row("tri", "tri");
        row("MTX web", "web");
        row("\"power-law/skewed\"", "web");
        row("not (tri or bus)", "web new");
        row("not not tri", "tri");
        row("row_mean <= 3", "tri");
        row("density = 25%", "tri bus web");
        row("density > 30%", "");
        row("name = and", "");
        row("nnz > 1000 AND NOT split = held-out", "bus");
        row("note ~ fast", "bus");
    }

    void matches()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        std::vector<Sample> samples{
            sample("tri", "banded/narrow", "train", 1000, 3), sample("bus", "irregular", "train", 4054, 3.6),
            sample("web", "power-law/skewed", "held-out", 2'000'000, 12), sample("new", "", "train", 0, 0)};
        samples[1].row.notes.note = "the FAST one";
        samples[0].features->strongComponents = 2;
        samples[3].features.reset();
        const auto filter = MatrixFilter::parse(text.toStdString());
        QVERIFY2(filter, filter ? "" : filter.error().sentence().c_str());
        QCOMPARE(filter->empty(), text.isEmpty());
        QStringList found;
        for (const Sample& s : samples)
            if (filter->matches(s.row, s.features))
                found.append(QString::fromStdString(s.row.name));
        QCOMPARE(found.join(QLatin1Char(' ')), expected);
    }

    void mistakes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* text, const char* what) { QTest::newRow(text) << text << what; };
        row("nzz > 3", "matrices have no \"nzz\" (character 1). Did you mean nnz?");
        row("tri and colour = red", "matrices have no \"colour\" (character 9)");
        row("nnz >", "a value is missing after \"nnz >\" (character 6). Write a number");
        row("nnz > lots", "\"lots\" is no number (character 7). Compare nnz with a number");
        row("nnz > 1e999", "\"1e999\" is no number (character 7)");
        row("nnz > %", "\"%\" is no number (character 7)");
        row("nnz >> 3", "\">>\" is no comparison (character 5). Use =");
        row("class > banded", "class is a text, which is not more or less than another (character 7)");
        row("nnz ~ 3", "nnz is a number: ~ looks for a part of a text (character 5)");
        row("(nnz > 3", "this ( is not closed (character 1)");
        row("nnz > 3)", "there is no ( for this ) (character 8)");
        row("()", "something is missing before the ) (character 2)");
        row("nnz > 3 and", "something is missing at the end (character 12)");
        row("or tri", "something is missing before \"or\" (character 1)");
        row("> 3", "\">\" needs a name before it (character 1)");
        row("tri \"bus", "a quote is not closed (character 5)");
        row("\"nnz\" > 3", "\">\" needs a name before it (character 7)");
    }

    void mistakes()
    {
        QFETCH(QString, text);
        QFETCH(QString, what);
        const auto filter = MatrixFilter::parse(text.toStdString());
        QVERIFY(!filter);
        const QString said = QString::fromStdString(filter.error().sentence());
        QVERIFY2(said.startsWith(what), qPrintable(said));
    }

    void nestingHasAnEnd()
    {
        QVERIFY(MatrixFilter::parse(std::string(50, '(') + "a" + std::string(50, ')')));
        QVERIFY(!MatrixFilter::parse(std::string(100000, '(')));
        std::string nots;
        for (int i = 0; i < 100000; ++i)
            nots += "not ";
        QVERIFY(!MatrixFilter::parse(nots + "a"));
    }

    void everyNameCanBeAsked()
    {
        for (const MatrixFilterName& name : matrixFilterNames()) {
            QVERIFY(!name.help.empty());
            const auto filter = MatrixFilter::parse(name.key + (name.number ? " >= 0" : " = x"));
            QVERIFY2(filter, name.key.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestMatrixFilter)
#include "tst_matrix_filter.moc"
