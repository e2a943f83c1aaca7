#include "log.h"

#if PADICI_IMPLEMENT_CORE

// ---------------------------------------------------------------------------------------- >>log

PADICI_FN void padici_text_begin(padici_text *text, char *space, size_t size)
{
    text->at = space;
    text->left = size;
    text->length = 0;
    space[0] = 0;
}

PADICI_FN PADICI_NOINLINE void padici_text_add(padici_text *text, const char *words)
{
    for (; *words; words++) {
        text->length++;
        if (text->left < 2) continue;
        *text->at++ = *words;
        text->left--;
    }
    *text->at = 0;
}

// Decimal, at least `digits` wide, filled with zeros.
PADICI_FN PADICI_NOINLINE void padici_text_number(padici_text *text, uint64_t value,
                                                  uint32_t digits)
{
    char reversed[21];
    uint32_t n = 0;
    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while ((value || n < digits) && n < 20);
    text->length += n;
    while (n > 0 && text->left > 1) {
        *text->at++ = reversed[--n];
        text->left--;
    }
    *text->at = 0;
}

PADICI_FN PADICI_NOINLINE void padici_log_write(const padic_logger *log, padic_log_level level,
                                                uint32_t item, const char *words)
{
    if (log && log->write) (*log->write)(level, item, words, log->user);
}

#endif
