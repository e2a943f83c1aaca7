// ask.h: asks for one call, by its own function, what it would do: ASK(context, padic_fill(...)).
#pragma once

static padic_context_ask_report test_asked; // of the last ASK()

#define ASK(context, call)                                                                       \
    (padic_context_ask(context, &test_asked), (void)(call), padic_context_ask(context, NULL),     \
     test_asked.result)
