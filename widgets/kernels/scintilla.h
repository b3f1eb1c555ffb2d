// SPDX-License-Identifier: Apache-2.0
#pragma once

// QScintilla's headers are written with Qt's keywords, which this project turns off.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qscilexercpp.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>
#undef signals
#undef slots
