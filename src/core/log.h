#pragma once
#include "platform.h"

// Sentences without stdio: appends until the space ends, always terminated. `length` goes on.
typedef struct padici_text {
    char *at;
    size_t left;   // the terminator included
    size_t length; // of the whole text, also where it was cut
} padici_text;

PADICI_FN void padici_text_begin(padici_text *text, char *space, size_t size);
PADICI_FN PADICI_NOINLINE void padici_text_add(padici_text *text, const char *words);
PADICI_FN PADICI_NOINLINE void padici_text_number(padici_text *text, uint64_t value,
                                                  uint32_t digits);
PADICI_FN PADICI_NOINLINE void padici_log_write(const padic_logger *log, padic_log_level level,
                                                uint32_t item, const char *words);
