// SPDX-License-Identifier: Apache-2.0
// What of a folder of other people's sources may be learned from, and why the rest may not.
#include "base/files.h"
#include "base/hash.h"
#include "corpus/alike.h"
#include "corpus/licences.h"
#include "corpus/scan.h"

#include <QTest>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

const std::string mit = "// SPDX-License-Identifier: MIT\n";

/// `count` different statements; every text of another `seed` is different all through.
std::string kernel(int seed, int count = 40)
{
    std::string text = fmt::format("__global__ void kernel{}(float* out) {{\n", seed);
    for (int i = 0; i < count; ++i)
        text += fmt::format("  out[threadIdx.x * v{0} + w{1}] = step{0}_{1}(u{0}, t{1});\n", seed, i);
    return text + "}\n";
}

} // namespace

class TestCorpusScan : public QObject
{
    Q_OBJECT

private:
    std::optional<TempDir> m_folder;

    void write(const std::string& path, const std::string& text)
    {
        const auto written = writeFileAtomic(m_folder->path() / path, text);
        QVERIFY2(written, written ? "" : written.error().sentence().c_str());
    }
    ScanResult scan(const ScanOptions& options = {})
    {
        auto result = scanFolder(m_folder->path(), options, {}, {});
        if (!result)
            qFatal("%s", result.error().sentence().c_str());
        return std::move(*result);
    }
    static std::map<std::string, std::string> whyRefused(const ScanResult& result)
    {
        std::map<std::string, std::string> reasons;
        for (const auto& refusal : result.refused)
            reasons[refusal.path] = refusal.reason;
        return reasons;
    }

private Q_SLOTS:
    void init() { m_folder.emplace(std::move(*TempDir::create("scan"))); }
    void cleanup() { m_folder.reset(); }

    void takesWhatMayBeTaken()
    {
        write("a.cu", mit + kernel(1));
        write("sub/b.cuh", "/* SPDX-License-Identifier: Apache-2.0 */\r\n" + kernel(2));
        write("sub/c.cpp", mit + "#include <vector>\n" + kernel(3));
        write("notes.txt", kernel(4));
        write("host.cpp", mit + "int main() { return 0; }\n");
        const auto result = scan();
        QCOMPARE(result.texts.size(), std::size_t(3));
        QCOMPARE(result.texts[0].path, std::string("a.cu"));
        QCOMPARE(result.texts[1].path, std::string("sub/b.cuh"));
        QCOMPARE(result.texts[1].licence, std::string("Apache-2.0"));
        QVERIFY(result.texts[1].text.find('\r') == std::string::npos);
        QCOMPARE(result.texts[0].hash, sha256Hex(mit + kernel(1)));
        QCOMPARE(result.others, std::int64_t(1));
        QCOMPARE(result.reasons().at("has no CUDA in it"), std::int64_t(1));
    }

    void licences_data()
    {
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("licence"); ///< Empty: nothing is stated.
        QTest::addColumn<bool>("allowed");
        const auto row = [](const char* name, const char* head, const char* licence, bool allowed) {
            QTest::newRow(name) << QString::fromLatin1(head) << QString::fromLatin1(licence) << allowed;
        };
        row("mit", "// SPDX-License-Identifier: MIT\n", "MIT", true);
        row("lower case", "// SPDX-License-Identifier: mit\n", "mit", true);
        row("gpl", "/* SPDX-License-Identifier: GPL-2.0-only */\n", "GPL-2.0-only", false);
        row("choice", "// SPDX-License-Identifier: GPL-3.0-only OR BSD-3-Clause\n",
            "GPL-3.0-only OR BSD-3-Clause", true);
        row("both", "// SPDX-License-Identifier: GPL-3.0-only AND MIT\n", "GPL-3.0-only AND MIT", false);
        row("nested", "// SPDX-License-Identifier: MIT AND (GPL-2.0 OR (ISC))\n",
            "MIT AND (GPL-2.0 OR (ISC))", true);
        row("exception", "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n",
            "Apache-2.0 WITH LLVM-exception", true);
        row("open bracket", "// SPDX-License-Identifier: (MIT\n", "(MIT", false);
        row("nothing behind", "// SPDX-License-Identifier:\n", "", false);
        row("two tags", "// SPDX-License-Identifier: MIT\n// SPDX-License-Identifier: GPL-2.0\n",
            "(MIT) AND (GPL-2.0)", false);
        row("own", "// SPDX-License-Identifier: LicenseRef-NvidiaProprietary\n",
            "LicenseRef-NvidiaProprietary", false);
        row("words of MIT",
            "/* Copyright (c) 2020 A. Permission is hereby granted, free of charge, to any\n * person "
            "obtaining a "
            "copy of this software */\n",
            "MIT", true);
        row("words of BSD",
            "// Redistribution and use in source and binary forms, with or without\n// modification. Neither "
            "the "
            "name of the author\n",
            "BSD-3-Clause", true);
        row("words of BSD 2",
            "// Redistribution and use in source and binary forms, with or without changes\n", "BSD-2-Clause",
            true);
        row("words of the GPL", "// under the terms of the GNU General Public License\n", "GPL-3.0-only",
            false);
        row("words of the LGPL", "// the GNU Lesser General Public License\n", "LGPL-3.0-only", false);
        row("words of Apache", "// Licensed under the Apache License, Version 2.0\n", "Apache-2.0", true);
        row("secret", "// Copyright NVIDIA. Proprietary and confidential.\n", "NOASSERTION", false);
        row("none", "// A kernel.\n", "", false);
    }
    void licences()
    {
        QFETCH(QString, head);
        QFETCH(QString, licence);
        QFETCH(bool, allowed);
        QCOMPARE(QString::fromStdString(statedLicence(head.toStdString())), licence);
        QCOMPARE(licenceAllowed(licence.toStdString(), ScanOptions().licences), allowed);
        write("k.cu", head.toStdString() + kernel(1));
        const auto result = scan();
        QCOMPARE(result.texts.size(), std::size_t(allowed));
        QCOMPARE(result.refused.size(), std::size_t(!allowed));
        if (!allowed)
            QCOMPARE(
                result.refused[0].reason,
                std::string(licence.isEmpty() ? "no licence is stated" : "its licence is not on the list"));
    }

    void licenceOfTheFolder()
    {
        write("LICENSE",
              "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a\n"
              "copy of this software");
        write("a.cu", kernel(1));
        write("gpl/COPYING", "GNU GENERAL PUBLIC LICENSE Version 3");
        write("gpl/b.cu", kernel(2));
        write("gpl/own.cu", mit + kernel(3));
        write("odd/LICENSE.txt", "Ask me first.");
        write("odd/deep/c.cu", kernel(4));
        write("both/LICENSE-MIT",
              "Permission is hereby granted, free of charge, to any person obtaining a copy");
        write("both/LICENSE-GPL", "GNU GENERAL PUBLIC LICENSE Version 3");
        write("both/d.cu", kernel(5));
        const auto result = scan();
        std::set<std::string> taken;
        for (const auto& text : result.texts)
            taken.insert(text.path);
        QCOMPARE(taken, (std::set<std::string>{"a.cu", "gpl/own.cu"}));
        QCOMPARE(result.reasons().at("its licence is not on the list"), std::int64_t(3));
    }

    void refusesWithAReason()
    {
        write("big.cu", mit + std::string(5000, ' ') + kernel(1));
        write("binary.cu", mit + kernel(2) + std::string(1, '\0'));
        write("latin1.cu", mit + "// \xe9t\xe9\n" + kernel(3));
        write("generated.cu", mit + "// DO NOT EDIT\n" + kernel(4));
        write("long.cu", mit + kernel(5) + "// " + std::string(2500, 'x') + "\n");
        std::string table = mit + "__device__ int t[] = {";
        for (int i = 0; i < 500; ++i)
            table += fmt::format("{},\n", 100 + i);
        write("table.cu", table + "};\n");
        ScanOptions options;
        options.maxBytes = 5000;
        const auto result = scan(options);
        QVERIFY(result.texts.empty());
        const auto why = whyRefused(result);
        QCOMPARE(why.at("big.cu"), std::string("is too large"));
        QCOMPARE(why.at("binary.cu"), std::string("is not UTF-8 text"));
        QCOMPARE(why.at("latin1.cu"), std::string("is not UTF-8 text"));
        for (const char* generated : {"generated.cu", "long.cu", "table.cu"})
            QCOMPARE(why.at(generated), std::string("looks generated"));
    }

    void oddFilesAreNotOpened()
    {
        const auto& root = m_folder->path();
        write("good.cu", mit + kernel(1));
        QCOMPARE(::mkfifo((root / "pipe.cu").c_str(), 0600), 0);
        fs::create_directory_symlink(root, root / "loop");
        fs::create_symlink(root / "good.cu", root / "link.cu");
        fs::create_symlink("/nowhere/at/all.cu", root / "dangling.cu");
        fs::create_directory(root / "folder.cu");
        fs::path deep = root;
        for (int i = 0; i < 70; ++i)
            deep /= "d";
        fs::create_directories(deep);
        write("locked/x.cu", mit + kernel(2));
        write("closed.cu", mit + kernel(3));
        fs::permissions(root / "locked", fs::perms::none);
        fs::permissions(root / "closed.cu", fs::perms::none);
        const auto result = scan();
        fs::permissions(root / "locked", fs::perms::owner_all);
        const auto why = whyRefused(result);
        QCOMPARE(why.at("pipe.cu"), std::string("is no ordinary file"));
        QCOMPARE(why.at("link.cu"), std::string("is a link"));
        QCOMPARE(why.at("dangling.cu"), std::string("is a link"));
        QVERIFY(!why.contains("loop/good.cu"));
        QCOMPARE(result.reasons().at("folders are nested too deeply"), std::int64_t(1));
        if (::geteuid() != 0) { // for root nothing is locked
            QCOMPARE(result.texts.size(), std::size_t(1));
            QCOMPARE(why.at("locked"), std::string("cannot be read"));
            QCOMPARE(why.at("closed.cu"), std::string("cannot be read"));
        } else {
            QCOMPARE(result.texts.size(), std::size_t(3));
        }
        QVERIFY(!scanFolder(root / "missing", {}, {}, {}));
        QVERIFY(!scanFolder(root / "good.cu", {}, {}, {}));
        CancelToken cancel;
        cancel.cancel();
        QVERIFY(!scanFolder(root, {}, cancel, {}));
    }

    void nearlyTheSameCountOnce()
    {
        const std::string text = kernel(1, 100);
        std::string renamed = text, commented = "// Another comment.\n" + text;
        renamed.replace(renamed.find("step1_50"), 8, "other_50");
        write("a.cu", mit + text);
        write("b.cu", mit + renamed);
        write("c.cu", "/* SPDX-License-Identifier: MIT */" + commented);
        write("d.cu", mit + kernel(2, 100));
        // Half of it is the same: another text.
        write("e.cu", mit + text.substr(0, text.size() / 2) + kernel(3, 50));
        const auto result = scan();
        std::vector<std::string> taken;
        for (const auto& one : result.texts)
            taken.push_back(one.path);
        QCOMPARE(taken, (std::vector<std::string>{"a.cu", "d.cu", "e.cu"}));
        QCOMPARE(result.refused.size(), std::size_t(2));
        QCOMPARE(result.refused[0].detail, std::string("a.cu"));
        // The same folder gives the same result.
        const auto again = scan();
        QCOMPARE(again.texts.size(), result.texts.size());
        QCOMPARE(again.texts[2].hash, result.texts[2].hash);
    }

    void theShareIsEstimated()
    {
        // Against the share itself, of runs of five tokens.
        const auto shareOf = [](const std::string& a, const std::string& b) {
            const auto runs = [](const std::string& text) {
                const auto tokens = tokenHashes(text);
                std::set<std::vector<std::uint64_t>> all;
                for (std::size_t i = 0; i + 5 <= tokens.size(); ++i)
                    all.insert({tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                tokens.begin() + static_cast<std::ptrdiff_t>(i + 5)});
                return all;
            };
            const auto x = runs(a), y = runs(b);
            std::size_t both = 0;
            for (const auto& run : x)
                both += y.contains(run);
            return static_cast<double>(both) / static_cast<double>(x.size() + y.size() - both);
        };
        int compared = 0;
        for (int changed = 0; changed < 60; ++changed) {
            std::string other = kernel(1, 60);
            for (int i = 0; i < changed; ++i) {
                const std::string name = fmt::format("step1_{}(", i);
                other.replace(other.find(name), name.size(), fmt::format("changed{}(", i));
            }
            const double share = shareOf(kernel(1, 60), other);
            AlikeTexts alike(0.7);
            QVERIFY(!alike.add(kernel(1, 60)));
            const bool same = alike.add(other).has_value();
            if (share > 0.7 + 4 * 0.04 || share < 0.7 - 4 * 0.04) { // four deviations
                QCOMPARE(same, share > 0.7);
                ++compared;
            }
        }
        QVERIFY(compared > 20);
    }

    void tokensAreThoseOfCode()
    {
        QCOMPARE(tokenHashes("int  a = b1;// c\n/* d */"), tokenHashes("int a=b1 ;"));
        QVERIFY(tokenHashes("int a = b1;") != tokenHashes("int a = b2;"));
        QCOMPARE(tokenHashes("\"one\" 'x'"), tokenHashes("\"two \\\" more\" '\\''"));
        QCOMPARE(tokenHashes("").size(), std::size_t(0));
        tokenHashes("\"open \\");
        tokenHashes("/* open");
    }

    void theFileReadsBack()
    {
        write("a.cu", mit + kernel(1) + "// caf\xc3\xa9 \x01\n");
        const auto result = scan();
        QCOMPARE(result.texts.size(), std::size_t(1));
        std::string lines = textCorpusHead() + textCorpusLine(result.texts[0]);
        const auto back = parseTextCorpus(lines, "f");
        QVERIFY(back && back->size() == 1);
        QCOMPARE((*back)[0].text, result.texts[0].text);
        QCOMPARE((*back)[0].licence, std::string("MIT"));
        QVERIFY(parseTextCorpus(textCorpusHead(), "f")->empty());
        const auto changed = lines.find("kernel1");
        lines.replace(changed, 7, "kernel2");
        const auto damaged = parseTextCorpus(lines, "f");
        QVERIFY(!damaged && damaged.error().line == 2);
        for (const char* wrong :
             {"", "x", "{}\n", "{\"format\":\"sparserl-corpus\",\"version\":2}\n", "[1]\n"})
            QVERIFY(!parseTextCorpus(wrong, "f"));
        QVERIFY(!parseTextCorpus(textCorpusHead() + "{\"text\":5}\n", "f"));
    }

    void noticesAreLeftOut()
    {
        QCOMPARE(withoutNotice("// SPDX-License-Identifier: MIT\n// Copyright A\n\nint a;\n"),
                 std::string_view("int a;\n"));
        QCOMPARE(withoutNotice("/* Copyright\n * A */ int a;"), std::string_view("int a;"));
        QCOMPARE(withoutNotice("// What it does.\nint a;"), std::string_view("// What it does.\nint a;"));
        QCOMPARE(withoutNotice("/* copyright"), std::string_view("/* copyright"));
        QCOMPARE(withoutNotice("// copyright"), std::string_view(""));
        QCOMPARE(withoutNotice(""), std::string_view(""));
    }
};

QTEST_GUILESS_MAIN(TestCorpusScan)
#include "tst_corpus_scan.moc"
