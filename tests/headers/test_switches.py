#!/usr/bin/env python3
# test_switches.py: types, sizes, offsets, enumerators and numbers of operations are the same under
# every set of switches; a call of an area that is switched off is an error that names the switch.
import itertools
import os
import re

import support as t

CC = t.compilers('gcc')
if not CC:
    t.finish('test_switches')


def type_of(entry):
    """The number of the entry that its type is, as readelf heads it."""
    found = re.match(r'<0x(\w+)>', entry.get('DW_AT_type', ''))
    return found.group(1) if found else ''


def layouts():
    """(asserts as C) of every public type, from the debug information of a plain unit."""
    source = t.write('plain.c', '#include "%s/padic.h"\n' % t.ROOT)
    out = os.path.join(t.scratch, 'plain.o')
    code, said = t.run('gcc', '-g', '-gdwarf-4', '-fno-eliminate-unused-debug-types', '-c', source,
                       '-o', out)
    t.expect('padic.h compiles', code == 0, said)
    code, said = t.run('readelf', '--debug-dump=info', '-W', out)
    entries, order = {}, []
    for line in said.split('\n'):
        head = re.match(r' <(\w+)><(\w+)>: Abbrev Number: \d+ \((\w+)\)', line)
        if head:
            now = {'depth': int(head.group(1), 16), 'tag': head.group(3)}
            entries[head.group(2)] = now
            order.append(now)
        field = re.match(r'\s+<\w+>\s+(DW_AT_\w+)\s*: (.*)', line)
        if field and order:
            text = re.sub(r'^\(\w+\)\s*', '', field.group(2)) # the form, the place of a string
            order[-1][field.group(1)] = re.sub(r'^\((indirect|offset)[^)]*\): ', '', text).strip()
    asserts, above = [], []
    named = {type_of(entry): entry['DW_AT_name'] for entry in order
             if entry['tag'] == 'DW_TAG_typedef'}
    key = {id(entry): at for at, entry in entries.items()}
    for entry in order:
        above = [e for e in above if e['depth'] < entry['depth']] + [entry]
        if entry['tag'] == 'DW_TAG_typedef' and entry['DW_AT_name'].startswith('padic_'):
            to = entries.get(type_of(entry))
            if to is not None and 'DW_AT_byte_size' in to:
                asserts.append('sizeof(%s) == %d' % (entry['DW_AT_name'],
                                                     int(to['DW_AT_byte_size'], 0)))
        if entry['tag'] == 'DW_TAG_member' and 'DW_AT_data_member_location' in entry:
            owner = above[-2]
            name = named.get(key[id(owner)])
            if name and name.startswith('padic_') and owner['tag'] == 'DW_TAG_structure_type' \
                    and 'DW_AT_name' in entry:
                asserts.append('offsetof(%s, %s) == %d' % (
                    name, entry['DW_AT_name'], int(entry['DW_AT_data_member_location'], 0)))
        if entry['tag'] == 'DW_TAG_enumerator' and entry['DW_AT_name'].startswith('PADIC_'):
            value = int(entry['DW_AT_const_value'].split()[0], 0)
            value = value - (1 << 32) if value >= 1 << 31 and value < 1 << 32 else value
            asserts.append('(long long)%s == %dLL' % (entry['DW_AT_name'], value))
    return asserts


def asserted(asserts):
    rows = ['#include "%s/padic.h"' % t.ROOT] + \
           ['typedef char check_%d[(%s) ? 1 : -1];' % (i, a) for i, a in enumerate(asserts)]
    return t.write('asserts.c', '\n'.join(rows) + '\n')


asserts = layouts()
t.expect('%d facts are few' % len(asserts), len(asserts) > 1000, '')
source = asserted(asserts)
# Of 12 areas there are 4,096 sets: everyday those that leave out up to two, or leave one or two.
most = len(t.AREAS) if os.environ.get('FULL') else 2
sets = [['-DPADIC_NO_' + a for a in chosen] for n in range(most + 1)
        for chosen in itertools.combinations(t.AREAS, n)]
sets += [['-DPADIC_ONLY_' + a for a in chosen] for n in (1, 2)
         for chosen in itertools.combinations(t.AREAS, n)]
sets += [['-DPADIC_SPLIT'], ['-DPADIC_STATIC'], ['-DPADIC_NO_MALLOC'], ['-DPADIC_NO_INT128'],
         ['-DPADIC_NO_CODEC_PACK'], ['-DPADIC_ONLY_CODEC', '-DPADIC_NO_CODEC_PACK']]
for flags in sets:
    code, said = t.run('gcc', '-std=c99', '-fsyntax-only', *flags, source)
    t.expect('layouts with ' + ' '.join(flags), code == 0, said)
for wrong in ('sizeof(padic_stats) == 8', 'offsetof(padic_tensor, rank) == 0'):
    code, said = t.run('gcc', '-std=c99', '-fsyntax-only', asserted(asserts + [wrong]))
    t.expect('a wrong fact is seen', code != 0, said)
print('%d facts, %d sets of switches' % (len(asserts), len(sets)))

# A call of what is switched off.
CALLS = {'CODEC': 'padic_codec_size_bound(NULL)', 'NUM': 'padic_num_ring_init(NULL, 5, 3, NULL)',
         'SPARSE': 'padic_sparse_encode(NULL, NULL)',
         'SAMPLE': 'padic_sample_halton(NULL, NULL)',
         'WAVE': 'padic_wave_superpose(NULL, NULL)', 'TENSOR': 'padic_tensor_gemm(NULL, NULL)',
         'FFT': 'padic_fft_transform(NULL, NULL)', 'CDT': 'padic_cdt_run(NULL, NULL)',
         'FIELD': 'padic_field_energy(NULL, NULL)',
         'RNN': 'padic_rnn_run(NULL, NULL)',
         'ROLLOUT': 'padic_rollout_weights_init(NULL, NULL)', 'PQ': 'padic_pq_train(NULL, NULL)',
         'CODEC_PACK': 'padic_codec_pack_new(NULL, NULL, NULL)'}
for cc in CC + t.compilers('clang', 'tcc'):
    for area, call in CALLS.items():
        source = t.write('call.c', '#include "%s/padic.h"\nint main(void) { %s; return 0; }\n'
                         % (t.ROOT, call))
        code, said = t.run(cc, '-c', source, '-o', os.path.join(t.scratch, 'call.o'))
        t.expect('%s compiles %s' % (cc, call), code == 0, said)
        switches = ['PADIC_NO_' + area] + (['PADIC_NO_NUM'] if area == 'SPARSE' else [])
        only = ['PADIC_ONLY_' + ('CODEC' if area != 'CODEC' else 'WAVE')]
        for switch in switches + (only if area != 'CODEC_PACK' else []):
            code, said = t.run(cc, '-D' + switch, '-c', source, '-o',
                               os.path.join(t.scratch, 'call.o'))
            t.expect('%s refuses %s with %s and names the switch' % (cc, call, switch),
                     code != 0 and 'switched_off_by_PADIC_NO_' + area in said, said)

# Two files of a program with other switches: statistics stay in their struct.
units = {
    'a.c': '#define PADIC_IMPLEMENTATION\n#include "%s/padic.h"\n' % t.ROOT,
    'b.c': '''#define PADIC_NO_WAVE
#define PADIC_NO_TENSOR
#include "%s/padic.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    struct { unsigned char before[64]; padic_stats stats; unsigned char after[4096]; } x;
    padic_context *context;
    padic_op_stats one;
    size_t i;
    memset(&x, 0x5a, sizeof x);
    if (padic_context_create(NULL, &context)) return 1;
    padic_context_stats(context, &x.stats);
    padic_context_op_stats(context, PADIC_OP_WAVE_SUPERPOSE, &one);
    padic_context_destroy(context);
    for (i = 0; i < sizeof x.after; i++) if (x.after[i] != 0x5a) return 2;
    for (i = 0; i < sizeof x.before; i++) if (x.before[i] != 0x5a) return 3;
    return one.calls != 0;
}
''' % t.ROOT}
paths = [t.write(name, text) for name, text in units.items()]
program = os.path.join(t.scratch, 'two')
code, said = t.run('gcc', '-O0', '-fsanitize=address', *paths, '-o', program, '-lm', '-lpthread')
t.expect('two files with other switches link', code == 0, said)
if code == 0:
    code, said = t.run(program)
    t.expect('statistics stay in their struct', code == 0, 'exit %d\n%s' % (code, said))
t.finish('test_switches')
