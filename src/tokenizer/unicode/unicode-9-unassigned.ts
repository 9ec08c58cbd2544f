/**
 * Which code points Unicode 9.0 had not assigned. Source: Unicode 9.0 UnicodeData.txt by way of npm
 * `@unicode/unicode-9.0.0`. Lengths of runs from U+0000 on, base 36: assigned, unassigned, assigned …
 */
export const unassignedRuns = [
  'oo 2 6 4 7 1 1 1 k 1 b1 1 12 2 7 1 13 1 2 2 3 1 1j 8 r 5 5 b t 1 6o 1 1o 2 2t e 1n 5 1a 2 f 1 s 2 1 1t l 1 8 m 4',
  'w 1 8 2 2 2 m 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 m 5 3 1 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 3 1 7 4 1 ',
  '1 7 g b 3 1 9 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 f 4 2 c 7 1 7 3 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 8 2 4 2 1 ',
  '5 2 i a 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 4 2 1 6 1 e l 5 4 1 8 1 3 1 n 1 g 3 8 1 3 1 4 7 2 1 3 5 ',
  '4 2 a 8 c 1 8 1 3 1 n 1 a 1 5 2 9 1 3 1 4 7 2 7 1 1 4 2 a 1 2 e 3 1 8 1 3 1 15 2 8 1 3 1 6 4 g 2 q 2 2 1 i 3 o 1',
  ' 9 1 1 2 7 3 1 4 6 1 1 1 8 6 a 2 3 c 1m 4 t 11 2 1 1 2 2 1 1 2 1 6 4 1 7 1 3 1 1 1 1 2 2 1 d 1 3 2 5 1 1 1 6 2 a',
  ' 2 4 w 20 1 10 4 13 1 10 1 f 1 d 11 5i 1 1 5 1 2 ah 1 4 2 7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 ',
  '1v 2 w 3 q 6 2e 2 6 2 il 3 2h 7 d 1 7 b n 9 k c d 1 3 1 2 c 2m 2 a 6 a 6 f 1 a 6 2g 8 17 5 1y a v 1 c 4 c 4 1 3 ',
  '16 2 5 b 18 4 q 6 b 3 1q 2 1t 1 t 2 b 6 a 6 e 2 f 1t 24 4 19 3 38 8 1o 3 f 3 1o 1j 8 8 13 1 2 6 6u 5 7v 2 6 2 12',
  ' 2 6 2 8 1 1 1 1 1 1 1 v 2 1h 1 f 1 e 2 6 1 j 2 3 1 9 1 2t 1 c 2 r 1 d 3 v h x f 3w 4 hb 1 13 p b l 1ec 2 w 2 y ',
  '3 c 1 8 q 4 g 1b 1 1b 1 44 5 19 1 1 5 1 2 1k 7 2 e o 9 7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 1 2t 1n q 1 2h c 5y q c 4 1',
  's 1 2e 2 2v 5 15 3 2m 1 17 5 10 c 1b 1 67 1 59y a g7q 16 wd 3 1j 9 9o k 54 8 4v 1 8 1r 1h 4 a 6 1k 8 1y 8 c 6 u ',
  '2 2c b u 3 26 1 b 4 x 1 1j 9 e 2 a 2 2v o s a 6 2 6 2 6 9 7 1 7 1 1i a 3i 2 a 6 8mc c n 4 1d 4 6su 2 2y 12 7 c 5',
  ' 5 q 1 5 1 1 1 2 1 2 1 3g h a5 g 1s 2 1i 14 e 2 q 6 1f 1 j 1 4 4 5 1 3r 2 1 1 5a 3 6 2 6 2 6 2 3 3 7 1 7 a 5 2 c',
  ' 1 q 1 j 1 2 1 f 2 e y 3f 5 3 4 19 3 2g 1 c 4 1 1b 1a 3m t 3 1d f s 4 10 c r 5 17 5 u 1 11 4 e 16 4e 2 a 6 10 4 ',
  '10 4 14 8 1g b 1 40 8n 9 m a 8 48 6 2 1 1 18 1 2 3 1 2 n 1 20 8 9 1c j 1 2 5 x 3 r 5 1 1s 1k 4 k 2 1e 1 2 5 8 1 ',
  '3 1 r 4 3 4 9 8 9 7 1s w 13 4 c 9 1i 3 t 2 r 5 q 7 4 c 7 28 21 1j 1f d 1f 7 6 9s v ap 26 4 u f 1v e p 7 a 6 1h 1',
  ' e c 13 9 26 2 g 1 k b i 1 18 1t 7 1 1 1 4 1 f 1 b 6 1n 5 a 6 4 1 8 2 2 2 m 1 7 1 2 1 5 2 9 2 2 2 3 2 1 6 1 5 7 ',
  '2 7 3 5 3v 2i 1 1 1 1 y 20 8 a 4m 1i 2 12 y 1x b a 6 d j 1k 8 a 1i q 3 f 4 g 9s 2b c 1 cg 1l 7b 9 1 19 1 e a t 3',
  ' w 2 m 1 e nd pm 2u 33 1 5 b 5g 24c tr 34h g7 6nt ft 7 v 1 a 4 2 2o u 2 6 a 1y a a 1 7 1 l 5 j og 1x b 1b g h 1s',
  ' 1 v 4q5 j kz 7bh 2 2da 2z 5 d 3 9 7 a 2 8 3to 6u a 13 2 5c n 1y 56 2f 9 i 3y 2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 ',
  '7 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1 1 3 7 1 9g 2 84 2 ji f 5 1 f 11s 7 1 h 2 7 1 2 1 5 1jp 5h 2 g 15 23 5 a 4 2 ww ',
  '4 1 r 1 2 1 1 2 1 1 a 1 4 1 1 1 1 6 1 4 1 1 1 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 ',
  'a 1 h 5 3 1 5 1 h 1g 2 7i 18 4 2s c f 2 f 1 f 1 11 a d 3 v 1 1o 4 1p 1l t d 18 4 9 7 2 4u r7 d d 3 7 9 38 c 2d 1',
  '7 c 4 1k 8 a 6 14 8 u 2q f 1 8 8 1 2 c 1 c 4 f x i 1a 1 18f wyf 15 379 b 66 2 4g2 866 f2 fher 1 u 2o 3k 6o 1e6o ',
  '1eke 2 1eke 2',
].join('');
