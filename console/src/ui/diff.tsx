import { useMemo } from 'react'

type Piece = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }

/** Longer texts are compared as a whole: the comparison needs memory for the product of both lengths. */
const wordsMax = 1_500

/** Compares two texts word by word, by their longest common subsequence. */
function compareTexts(before: string, after: string): readonly Piece[] {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  if (a.length > wordsMax || b.length > wordsMax) return [piece('removed', before), piece('added', after)]
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const [row, next] = [lengths[i] as Uint16Array, lengths[i + 1] as Uint16Array]
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push(piece('same', a[i++] as string))
      j++
    } else if (j >= b.length || (i < a.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      pieces.push(piece('removed', a[i++] as string))
    } else pieces.push(piece('added', b[j++] as string))
  }
  return pieces
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|\S+/g) ?? []
}

function piece(kind: Piece['kind'], text: string): Piece {
  return { kind, text }
}

export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const pieces = useMemo(() => compareTexts(before, after), [before, after])
  // A piece has no id, so its index is its key.
  return <p className="break-words whitespace-pre-wrap">{pieces.map((part, index) => renderPiece(part, `${index}`))}</p>
}

function renderPiece({ kind, text }: Piece, key: string) {
  if (kind === 'same') return text
  const Tag = kind === 'added' ? 'ins' : 'del'
  return (
    <Tag key={key} className={kind === 'added' ? 'bg-sunken text-good' : 'bg-sunken text-bad'}>
      {text}
    </Tag>
  )
}
