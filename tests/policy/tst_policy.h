// SPDX-License-Identifier: Apache-2.0
#pragma once

// Qt's headers come after LibTorch's, which use `slots` as a name (QT_NO_KEYWORDS keeps it free).
#include "base/files.h"
#include "base/rng.h"
#include "policy/policy/policy.h"
#include "policy/t5/t5.h"

#include <QObject>

/// Makes this program a child of TestCausal::weightsAreInMemoryOnce; a model and the policy to make of it
/// follow, or a policy and nothing.
constexpr const char* tellPeakOption = "--tell-peak";
std::string fixture(const std::string& name);
/// A tiny policy with random weights that are far from uniform.
sparserl::Policy tinyPolicy(std::uint64_t seed = 1, bool gated = false,
                            sparserl::EmbeddingMode mode = sparserl::EmbeddingMode::SinusoidalStructure);
/// The model of a policy that is a T5.
const sparserl::T5Model& t5Of(const sparserl::Policy& policy);
/// Inputs of different sizes.
std::vector<sparserl::ModelInput> someInputs(const sparserl::Policy& policy, int count, bool prompts = false);
/// Sequences of the given lengths over the inputs, in turn.
sparserl::SequenceBatch someBatch(const sparserl::Policy& policy, const std::vector<int>& lengths,
                                  int inputs = 2);
/// Inputs of unequal lengths with prompts, one that nobody uses, sequences in no order, one of a single
/// token.
sparserl::SequenceBatch unevenBatch(const sparserl::Policy& policy);
double maxDifference(const torch::Tensor& a, const torch::Tensor& b);

class TestNumerics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bucketsAsHuggingFace();
    void forwardAndGradientsAsHuggingFace_data();
    void forwardAndGradientsAsHuggingFace();
    void fusedAttentionAsComposed();
    void gradientsAgainstFiniteDifferences();
    void statisticsAsComposed();
    void batchCompositionDoesNotMatter();
    void critic();
    void learnsWhichMatrixIsWhich();
    void quickstartSize();
};

/// The operations that a GPU runs, on the CPU.
class TestPlain : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asKernels_data();
    void asKernels();
    void criticAsKernels();
    void halfPrecision();
    void samplesAsKernels_data();
    void samplesAsKernels();
    void headInTwoProducts();
    void columnsAreDrawn_data();
    void columnsAreDrawn();
    void sampledAsTrained_data();
    void sampledAsTrained();
    void hookAndCancel();
    void computeFollowsClones();
    void devicesByName();
};

/// Layers that are computed twice in place of being kept.
class TestRecompute : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gradientsStay_data();
    void gradientsStay();
    void criticAndFrozenParts();
    void takesLessMemory_data();
    void takesLessMemory();
    void logitsAreNeverWhole_data();
    void logitsAreNeverWhole();
};

class TestSampling : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void logProbsAreTeacherForced();
    void cachedLogitsAsFullForward_data();
    void cachedLogitsAsFullForward();
    void packedProducts();
    void batchDoesNotMatter();
    void drawFrequencies();
    void truncationAndMixture();
    void greedyIsArgmax();
    void beamSearchAgainstExhaustion();
    void beamSearchPassesOverWhatIsRefused();
    void beamSearchOfOneIsGreedy();
    void beamSearchIsTeacherForced();
    void hookAndCancel();
    void readingIsInterrupted();
    void badOptionsAreSentences();
    void weightsThatOverflowAreASentence_data();
    void weightsThatOverflowAreASentence();
};

/// Tokens that a policy is given.
class TestClasses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givenTokensAreOnlyRead_data();
    void givenTokensAreOnlyRead();
    void junkBehindTheLastOwnToken_data();
    void junkBehindTheLastOwnToken();
    void samplesGoOnFromAPrefix_data();
    void samplesGoOnFromAPrefix();
};

class TestFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void safetensorsRoundTrip();
    void safetensorsReadsReference();
    void malformedSafetensors_data();
    void malformedSafetensors();
    void moreThanTheMemoryIsASentence();
    void numbersAreFinite();
    void policyDirectory();
    void damagedPolicyDirectory();
    void wrongMembersOfTheConfiguration();
    void huggingFaceNames();
};

/// Decoder-only models.
class TestCausal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void computesAsHuggingFace_data();
    void computesAsHuggingFace();
    void halfAsHuggingFace_data();
    void halfAsHuggingFace();
    void positionsAsHuggingFace_data();
    void positionsAsHuggingFace();
    void cachedAsFullForward_data();
    void cachedAsFullForward();
    void aPolicyLikeOthers_data();
    void aPolicyLikeOthers();
    void weightsKeepTheirPrecision();
    void shapesGoRound_data();
    void shapesGoRound();
    void whatIsWrongIsASentence_data();
    void whatIsWrongIsASentence();
    void shardsAreOneModel();
    void weightsAreInMemoryOnce();
    void asLlamaCppHasThem_data();
    void asLlamaCppHasThem();
    void wrongGgufIsASentence_data();
    void wrongGgufIsASentence();
    void promptsBeginAsFilesSay();
    void publishedTokenizersEndPrograms();
    void timeGrowsWithTheModel();
};

/// Low-rank adapters.
class TestLora : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void computesAsPeft_data();
    void computesAsPeft();
    void mergesAsPeft_data();
    void mergesAsPeft();
    void filesAsPeft_data();
    void filesAsPeft();
    void newAdaptersChangeNothing();
    void gradientsAgainstFiniteDifferences_data();
    void gradientsAgainstFiniteDifferences();
    void aPolicyLikeOthers();
    void whatIsWrongIsASentence_data();
    void whatIsWrongIsASentence();
    void otherPoliciesAreRefused();
};

/// Models of Hugging Face.
class TestImport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tokensAsHuggingFace();
    void specialTokensWithoutNumbers();
    void manySpecialTokens();
    void computesAsHuggingFace_data();
    void computesAsHuggingFace();
    void theMatrixIsNewAndSeeded();
    void headsOfBothGenerations();
    void whatIsWrongIsASentence_data();
    void whatIsWrongIsASentence();
    void whatIsThereStays();
    void aTakenModelIsNoPolicyYet();
};
