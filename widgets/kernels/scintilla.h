// SPDX-License-Identifier: Apache-2.0
#pragma once

// QScintilla's headers use Qt's keywords, which this project disables.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qscilexercpp.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>
#undef signals
#undef slots
