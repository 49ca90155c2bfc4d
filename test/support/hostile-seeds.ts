/** What is repeated to letters without spaces, and to texts that make careless patterns and loops go over the same letters again and again. */
export const hostileSeeds: readonly string[] = [
  ...['a', 'as', 's', "a'b'", "s'", 'ing', 'ness', 'ational', 'y', 'A', 'Aa', 'No', 'x1'],
  ...['haupt', 'Kranken', 'schule', 'versicherung', 'keit', 'ae', 'ä', 'ß'],
  ...['İ', 'ﷺ', 'a\u0301', 'ſ', 'ǅ', 'ا', '黒', '한', '🦩', '\u200d', '1', '111,'],
  ...[' ', '\n', 'a ', 'Bo ', 'a*', 'a* ', '"a', '“a', '?[', 'A. ', 'A: ', '@a.', '1 ', 'Bo (Bo ', 'called Bo '],
]
