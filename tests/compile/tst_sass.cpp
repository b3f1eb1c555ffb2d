// SPDX-License-Identifier: Apache-2.0
// What nvdisasm says becomes a listing with a line of the program for each of its own.
#include "compile/sass.h"
#include "compile/sass_help.h"

#include <QtTest>

#include <set>
#include <sstream>

using namespace sparserl;

namespace {

std::vector<std::string> linesOf(const SassListing& listing)
{
    std::vector<std::string> lines;
    std::istringstream in(listing.text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

constexpr const char* disassembly =
    "\t.target\tsm_90\n"
    "\n"
    "//--------------------- .text.spmv                --------------------------\n"
    "\t.section\t.text.spmv,\"ax\",@progbits\n"
    "        .global         spmv\n"
    "spmv:\n"
    ".text.spmv:\n"
    "\t//## File \"program.cu\", line 5\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "\t//## File \"program.cu\", line 7\n"
    "        /*0010*/                   S2R R0, SR_CTAID.X ;\n"
    ".L_x_11:\n"
    "        /*0070*/               @P0 EXIT ;\n"
    "\t//## File \"elsewhere.h\", line 99\n"
    "        /*0080*/              @!P1 BRA `(.L_x_3) ;\n"
    ".L_x_10:\n"
    "        /*0090*/                   BRA `(.L_x_10);\n"
    "        /*00a0*/                   NOP;\n"
    "        /*00b0*/                   NOP;\n"
    ".L_x_13:\n"
    "\n"
    "//--------------------- .text.other               --------------------------\n"
    "other:\n"
    ".text.other:\n"
    "        /*0000*/                   EXIT ;\n"
    "//--------------------- SYMBOLS --------------------------\n"
    "\t.type\t\t.nv.reservedSmem.offset0,@object\n";

} // namespace

class TestSass : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyInstructionHasItsLine()
    {
        const SassListing listing = readSass(disassembly);
        const auto lines = linesOf(listing);
        const std::vector<std::pair<std::string, int>> expected{
            {"spmv:", 0},
            {"  /*0000*/       LDC R1, c[0x0][0x28] ;", 5},
            {"  /*0010*/       S2R R0, SR_CTAID.X ;", 7},
            {".L_x_11:", 0},
            {"  /*0070*/  @P0  EXIT ;", 7},
            {"  /*0080*/  @!P1 BRA `(.L_x_3) ;", 7}, // of a header: the line that it was called from
            {".L_x_10:", 0},
            {"  /*0090*/       BRA `(.L_x_10);", 7},
            {"", 0},
            {"other:", 0},
            {"  /*0000*/       EXIT ;", 0}};
        QCOMPARE(lines.size(), expected.size());
        QCOMPARE(listing.lines.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(lines[i], expected[i].first);
            QCOMPARE(listing.lines[i], expected[i].second);
        }
    }

    void anyTextIsRead()
    {
        QVERIFY(readSass("").text.empty());
        QVERIFY(readSass("nvdisasm fatal: no such thing").lines.size() <= 1);
        for (const char* odd :
             {"/*", "//## File \"program.cu\", line ", "//## File \"program.cu\", line 99999999999", "/*00*/",
              "/*00*/ @P0", ":", ".L_:", "\n\n\n"}) {
            const SassListing listing = readSass(odd);
            QCOMPARE(static_cast<std::size_t>(std::count(listing.text.begin(), listing.text.end(), '\n')),
                     listing.lines.size());
        }
    }

    // As `nvdisasm -hex` prints them; encodings of a compiled program.
    void encodingsBecomeControlCodes()
    {
        const SassListing listing =
            readSass("spmv:\n"
                     ".text.spmv:\n"
                     "        /*0000*/     LDG.E R2, [R2.64] ;      /* 0x0000000402027981 */\n"
                     "                                              /* 0x000ea8000c1e1900 */\n"
                     ".L_x_1:\n"
                     "        /*0010*/     FADD R5, R2, R2 ;        /* 0x0000000202057221 */\n"
                     "                                              /* 0x004fca0000000000 */\n"
                     "        /*0020*/     EXIT ;                   /* 0x000000000000794d */\n"
                     "                                              /* 0x000fea0003800000 */\n");
        const auto lines = linesOf(listing);
        QCOMPARE(lines.size(), std::size_t{5});
        QCOMPARE(lines[1], std::string("  /*0000*/       LDG.E R2, [R2.64] ;"));
        QCOMPARE(listing.controls.size(), std::size_t{5});
        QVERIFY(!listing.controlsUnknown && !listing.controls[0] && !listing.controls[2]);
        QCOMPARE(controlText(*listing.controls[1]), std::string("B------:R-:W2:-:S04"));
        QCOMPARE(controlText(*listing.controls[3]), std::string("B--2---:R-:W-:Y:S05"));
        QCOMPARE(controlText(*listing.controls[4]), std::string("B------:R-:W-:-:S05"));
        for (const std::size_t line : {1u, 3u, 4u})
            QCOMPARE(controlText(*listing.controls[line]).size(), controlWidth);
    }

    void everyFieldHasItsBits()
    {
        const auto place = [](unsigned long long value, int bit) { return value << (bit - 64); };
        const std::uint64_t nothing = place(1, 109) | place(7, 110) | place(7, 113);
        QCOMPARE(decodeControl(nothing), SassControl());
        QCOMPARE(decodeControl(nothing | place(15, 105)).stall, 15);
        QVERIFY(decodeControl(nothing & ~place(1, 109)).yield);
        QCOMPARE(decodeControl(nothing & ~place(7, 110)).writeBarrier, 0);
        QCOMPARE(decodeControl(nothing & ~place(2, 113)).readBarrier, 5);
        QCOMPARE(decodeControl(nothing | place(0b100001, 116)).waits, 0b100001u);
        QCOMPARE(decodeControl(nothing | place(0b1010, 122)).reuse, 0b1010u);
        QCOMPARE(decodeControl(~std::uint64_t{0}).stall, 15); // bits that are of others change nothing
        QCOMPARE(decodeControl(nothing | place(1, 126) | place(1, 104)), SassControl());
    }

    // An architecture whose bits mean something else is not guessed at.
    void otherLayoutsAreUnknown()
    {
        const auto instruction = [](const char* text, int write, unsigned waits, unsigned reuse = 0) {
            SassControl control;
            control.writeBarrier = write;
            control.waits = waits;
            control.reuse = reuse;
            return ControlledInstruction{text, control};
        };
        const auto load = instruction("LDG.E R2, [R2.64] ;", 2, 0);
        QVERIFY(plausibleControls({}));
        QVERIFY(plausibleControls({load, instruction("FADD R5, R2, R2 ;", -1, 0b100)}));
        QVERIFY(plausibleControls({instruction("FADD R5, R2, R2 ;", -1, 0b100), load})); // in a loop
        QVERIFY(!plausibleControls({load, instruction("FADD R5, R2, R2 ;", -1, 0b1000)}));
        QVERIFY(!plausibleControls({instruction("LDG.E R2, [R2.64] ;", 6, 0)}));
        QVERIFY(plausibleControls({instruction("FADD R5, R2.reuse, R2 ;", -1, 0, 1)}));
        QVERIFY(!plausibleControls({instruction("FADD R5, R2.reuse, R2 ;", -1, 0)}));
        const SassListing other =
            readSass("f:\n"
                     "        /*0000*/  FADD R5, R2.reuse, R2 ;  /* 0x0000000202057221 */\n"
                     "                                           /* 0x000fca0000000000 */\n"
                     "g:\n"
                     "        /*0000*/  EXIT ;                   /* 0x000000000000794d */\n"
                     "                                           /* 0x000fea0003800000 */\n");
        QVERIFY(other.controlsUnknown);
        for (const auto& control : other.controls)
            QVERIFY(!control);
        QVERIFY(!readSass(disassembly).controlsUnknown); // none were asked for
    }

    void instructionsAreExplained()
    {
        const auto load = explainSass("LDG.E.128.CONSTANT");
        QVERIFY(load);
        QCOMPARE(load->operands, std::string("d, [a]"));
        QCOMPARE(load->modifiers, std::string(".E: the address has 64 bits; .128: 128 bits, four registers; "
                                              ".CONSTANT: read-only data, through L1 without coherence"));
        QVERIFY(load->cost.starts_with("LSU pipe"));
        QVERIFY(explainSass("FFMA")->modifiers.empty());
        QVERIFY(!explainSass("FROB.E") && !explainSass(""));
        // The same word of a comparison and of an atomic operation.
        QVERIFY(explainSass("ISETP.GE.AND")->modifiers.find("and the other predicate") != std::string::npos);
        QVERIFY(explainSass("RED.E.AND")->modifiers.find("the bits of both") != std::string::npos);
        std::set<std::string_view> names;
        for (const SassOpcode& opcode : sassOpcodes()) {
            QVERIFY2(opcode.sentence.ends_with('.') && names.insert(opcode.name).second,
                     std::string(opcode.name).c_str());
        }
        QVERIFY(names.size() > 100);
    }

    void namesOfInstructions()
    {
        QCOMPARE(sassName("  /*0010*/       S2R R0, SR_CTAID.X ;"), std::string_view("S2R"));
        QCOMPARE(sassName("  /*0080*/  @!P1 BRA `(.L_x_3) ;"), std::string_view("BRA"));
        QCOMPARE(sassName("  /*0080*/       NOP;"), std::string_view("NOP"));
        for (const char* none : {"", ".L_x_11:", "spmv:", "/*", "/*00*/", "/*00*/ @P0"})
            QVERIFY2(sassName(none).empty(), none);
    }
};

QTEST_GUILESS_MAIN(TestSass)
#include "tst_sass.moc"
