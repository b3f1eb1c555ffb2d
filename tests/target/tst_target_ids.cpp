// SPDX-License-Identifier: Apache-2.0
// Which target is which: keys, what two targets share, how they are named.
#include "target/target_fields.h"
#include "target/target_text.h"

#include <QtTest>

#include <set>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

const std::string digest(64, 'd');

TargetId targetOf(const std::string& contents, std::int64_t columns = 1, ElementType type = ElementType::F32)
{
    return {.contents = contents, .name = "cant", .variant = {columns, type}};
}

} // namespace

class TestTargetIds : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Whatever tells two targets apart is in their keys, and a key says all but the name.
    void keysAreTargets()
    {
        std::vector<TargetId> all;
        for (const std::string& contents : {digest, std::string(64, 'e')})
            for (const std::int64_t columns : {1, 2, 8, 32, 1024})
                for (const ElementType type : {ElementType::F32, ElementType::F64})
                    all.push_back(targetOf(contents, columns, type));
        for (const char* values : {"0123456789abcdef", "fedcba9876543210"}) {
            all.push_back(targetOf(digest, 8, ElementType::F64));
            all.back().values = values;
        }
        std::set<std::string> keys;
        for (const TargetId& one : all) {
            QVERIFY(keys.insert(one.key()).second);
            const auto read = TargetId::fromKey(one.key());
            QVERIFY(read && *read == one);
            QCOMPARE(read->contents, one.contents);
            QVERIFY(read->variant == one.variant);
            QCOMPARE(read->values, one.values);
            for (const TargetId& other : all)
                QCOMPARE(one == other, &one == &other);
        }
        TargetId renamed = all.front();
        renamed.name = "another name";
        QVERIFY(renamed == all.front());
        renamed.values = "0123456789abcdef"; // Of doubles, and this one is in floats.
        QVERIFY(renamed == all.front());
        QCOMPARE(all.back().key(), digest + "/8/f64-fedcba9876543210");
        QVERIFY(all.back().sameContents(all.front()) &&
                all.back().sameVariant(targetOf("a", 8, ElementType::F64)));
    }

    /// Keys are in files of before.
    void keysStayAsTheyWere()
    {
        QCOMPARE(targetOf(digest).key(), digest);
        QCOMPARE(targetOf(digest, 8).key(), digest + "/8");
        QCOMPARE(targetOf(digest, 1, ElementType::F64).key(), digest + "/f64");
        QCOMPARE(targetOf(digest, 8, ElementType::F64).key(), digest + "/8/f64");
    }

    void whatIsNoKey()
    {
        for (const char* end :
             {"/",      "/1",      "/0",        "/-8",      "/08",    "/8x",
              "/8/",    "/8/f32",  "/f32",      "/8f64",    "/f64/8", "/8/f64/",
              "/8/f63", "/f64-",   "/f32-ab",   "/8-ab",    "/-ab",   "/99999999999999999999",
              "/ 8",    "/sparse", "/sparse/8", "/8/sparse"})
            QVERIFY2(!TargetId::fromKey(digest + end), end);
        QVERIFY(TargetId::fromKey("")); // of a row without contents
    }

    void whatTargetsShare()
    {
        const TargetId vector = targetOf("a"), wide = targetOf("a", 8), other = targetOf("b", 8),
                       exact = targetOf("a", 8, ElementType::F64);
        QVERIFY(vector.sameContents(wide) && wide.sameContents(exact) && !wide.sameContents(other));
        QVERIFY(wide.sameVariant(other) && !wide.sameVariant(vector) && !wide.sameVariant(exact));
        QVERIFY(vector.task() == Task::SpMV && wide.task() == Task::SpMM && exact.task() == Task::SpMM);
        QVERIFY(TargetVariant::of(Task::SpMV, 8) == vector.variant);
        QVERIFY(TargetVariant::of(Task::SpMM, 8) == wide.variant);
    }

    void recordsSayWhatDiffers()
    {
        const auto written = [](const TargetId& target) {
            nlohmann::json json = nlohmann::json::object();
            FieldWriter writer(json);
            Fields<TargetId>::of(target, writer);
            return json;
        };
        QCOMPARE(written(targetOf("a")).dump(), std::string(R"({"matrix":"a","matrix_name":"cant"})"));
        QCOMPARE(written(targetOf("a", 8)).dump(),
                 std::string(R"({"dense_columns":8,"matrix":"a","matrix_name":"cant"})"));
        for (const TargetId& target : {targetOf("a"), targetOf("a", 8), targetOf("a", 8, ElementType::F64)}) {
            TargetId read;
            const auto json = written(target);
            FieldReader reader(json, readLeniently);
            Fields<TargetId>::of(read, reader);
            QVERIFY(read == target);
            QCOMPARE(read.name, target.name);
        }
        // What a newer version tells targets apart by is never taken for what this one knows.
        for (const char* text :
             {R"({"matrix":"a","element_type":"tf32"})", R"({"matrix":"a","element_type":64})",
              R"({"matrix":"a","target_kind":"picture"})"}) {
            const auto json = nlohmann::json::parse(text);
            TargetId read;
            FieldReader reader(json, readLeniently);
            QVERIFY_EXCEPTION_THROWN(Fields<TargetId>::of(read, reader), nlohmann::json::exception);
        }
    }

    void namesTellThemApart()
    {
        QCOMPARE(labelOf(targetOf("a")), std::string("cant"));
        QCOMPARE(labelOf(targetOf("a", 8)), std::string("cant (8 columns)"));
        std::set<std::string> labels, suffixes, lines;
        for (const std::int64_t columns : {1, 8, 32})
            for (const ElementType type : {ElementType::F32, ElementType::F64}) {
                labels.insert(labelOf(targetOf("a", columns, type)));
                suffixes.insert(fileSuffixOf(targetOf("a", columns, type)));
                lines.insert(variantJson(targetOf("a", columns, type)).dump());
            }
        QCOMPARE(labels.size(), std::size_t(6));
        QCOMPARE(suffixes.size(), std::size_t(6));
        QCOMPARE(lines.size(), std::size_t(6));
    }
};

QTEST_GUILESS_MAIN(TestTargetIds)
#include "tst_target_ids.moc"
