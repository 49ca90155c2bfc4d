/** The pieces a summary is made of: whole sentences where there are any, word for word as they were written. */

/** Longer ones are taken in pieces, so that one endless line cannot push everything else out. */
const sentenceCharactersMax = 500

const boundary = /(?<=[.!?…]["')\]]*)\s+|(?<=[。！？])\s*/u
/** A dot behind one letter or a short title ends no sentence. */
const shortened = /(?:^|[\s(])(?:\p{L}|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|ca|bzw|usw|z\.B|d\.h|e\.g|i\.e|etc)\.$/iu
const bullet = /^(?:[-*•–]|\d{1,3}[.)])\s+/u

export function sentencesOf(text: string): string[] {
  return text.split(/[\r\n\u2028\u2029]+/).flatMap((line) => ofLine(line.trim()))
}

function ofLine(line: string): string[] {
  const sentences: string[] = []
  let begun = ''
  for (const part of line.split(boundary)) {
    begun = begun === '' ? part : `${begun} ${part}`
    if (shortened.test(begun)) continue
    sentences.push(begun)
    begun = ''
  }
  sentences.push(begun)
  return sentences
    .map(withoutBullet)
    .flatMap(inPieces)
    .filter((sentence) => sentence !== '')
}

/** The mark of a list says nothing; a number that begins a sentence might, and stays when nothing follows it. */
function withoutBullet(sentence: string): string {
  const rest = sentence.replace(bullet, '').trim()
  return rest === '' || /^\d/.test(sentence) ? sentence.trim() : rest
}

/** Between words only: half a number would be another number. */
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
