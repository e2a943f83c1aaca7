#!/usr/bin/env python3
# test_areas.py: implementations with each area off, and with each alone, compile without a word and
# run.
import os

import support as t

CC = t.families()[2]
if not CC:
    t.finish('test_areas')

source = t.write('whole.c', '#define PADIC_IMPLEMENTATION\n#include "%s/padic.h"\n'
                 'int main(void) { return padic_self_hash() == 1; }\n' % t.ROOT)
sets = [['-DPADIC_NO_' + a] for a in t.AREAS] + [['-DPADIC_ONLY_' + a] for a in t.AREAS] + \
       [['-DPADIC_NO_' + a for a in t.AREAS], ['-DPADIC_ONLY_NUM', '-DPADIC_ONLY_WAVE'],
        ['-DPADIC_STATIC', '-DPADIC_NO_WAVE', '-DPADIC_NO_NUM'],
        ['-DPADIC_ONLY_CODEC', '-DPADIC_NO_CODEC_PACK']]
program = os.path.join(t.scratch, 'whole')
for flags in sets:
    command = [CC, '-std=c99', '-O0', *t.WARNINGS, *flags, source]
    code, said = t.run(*command, '-o', program, '-lm')
    code = code or t.run(program)[0]
    t.expect('the implementation with ' + ' '.join(flags), code == 0, said)
t.finish('test_areas')
