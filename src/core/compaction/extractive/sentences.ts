/** Splits texts into the sentences that a summary is made of, verbatim. */

/** Longer sentences are split, so that one very long line cannot use the whole budget. */
const sentenceCharactersMax = 500

const boundary = /(?<=[.!?…]["')\]]*)\s+|(?<=[。！？])\s*/u
/** A dot after a single letter or an abbreviation does not end a sentence. */
const abbreviation = /(?:^|[\s(])(?:\p{L}|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|ca|bzw|usw|z\.B|d\.h|e\.g|i\.e|etc)\.$/iu
const bullet = /^(?:[-*•–]|\d{1,3}[.)])\s+/u

/** The sentences of a text, in order and without list markers. */
export function sentencesOf(text: string): string[] {
  return text.split(/[\r\n\u2028\u2029]+/).flatMap((line) => ofLine(line.trim()))
}

function ofLine(line: string): string[] {
  const sentences: string[] = []
  let current = ''
  for (const part of line.split(boundary)) {
    current = current === '' ? part : `${current} ${part}`
    if (abbreviation.test(current)) continue
    sentences.push(current)
    current = ''
  }
  sentences.push(current)
  return sentences
    .map(withoutBullet)
    .flatMap(inPieces)
    .filter((sentence) => sentence !== '')
}

/** Removes a list marker. A number at the start may be part of the sentence and stays. */
function withoutBullet(sentence: string): string {
  const rest = sentence.replace(bullet, '').trim()
  return rest === '' || /^\d/.test(sentence) ? sentence.trim() : rest
}

/** Splits between words only: half a number would be another number. */
function inPieces(sentence: string): string[] {
  if (sentence.length <= sentenceCharactersMax) return [sentence]
  const pieces: string[] = []
  let piece = ''
  for (const word of sentence.split(/\s+/)) {
    if (piece !== '' && piece.length + word.length >= sentenceCharactersMax) {
      pieces.push(piece)
      piece = ''
    }
    piece = piece === '' ? word : `${piece} ${word}`
  }
  return [...pieces, piece]
}
