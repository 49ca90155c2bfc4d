import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ColophonError } from '../core/errors.ts'
import { type ExportSignature, isSigned, lineDigest, nextLink } from '../core/portable/signature.ts'

/** What sending a file takes at a time, far below the smallest sensible limit of a server's bodies. */
const partBytesMax = 512 * 1_024

export type CheckedFile = {
  readonly header: string
  readonly rows: number
  readonly sha256: string
  /** As it stands in the trailer; undefined when the file is not signed. */
  readonly signature?: ExportSignature | undefined
}

/** Lines as bytes, by line feeds only: other characters that end a line somewhere are part of a text here. */
export async function* linesIn(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    let data = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10)) {
      yield data.subarray(0, end)
      data = data.subarray(end + 1)
    }
    rest = data
  }
  if (rest.length > 0) yield rest
}

/** Reads all of a file before anything of it is sent: what was cut off or changed is refused as a whole. */
export async function checkExportFile(file: string): Promise<CheckedFile> {
  const hash = createHash('sha256')
  let header = ''
  let count = 0
  let chain = ''
  let last: Buffer | null = null
  for await (const line of linesIn(file)) {
    if (last !== null) {
      if (count === 0) header = last.toString('utf8')
      count += 1
      hash.update(last).update('\n')
      chain = nextLink(chain, lineDigest(last.toString('utf8')))
    }
    last = line
  }
  const trailer = parse(last?.toString('utf8') ?? '')
  if (trailer?.type !== 'trailer') throw invalid('The file has no trailer: it was cut off, or it is no export.')
  const sha256 = hash.digest('hex')
  if (trailer.lines !== count || trailer.sha256 !== sha256 || parse(header)?.type !== 'header') {
    throw invalid('The digest in the trailer does not fit: the file was changed.')
  }
  const signature = trailer.signature as ExportSignature | undefined
  if (signature !== undefined && !isSigned({ lines: count, sha256, chain }, signature)) {
    throw invalid('The signature in the trailer does not fit: the file was changed after it was signed.')
  }
  return { header, rows: count - 1, sha256, signature }
}

/** The file in parts, each an export in itself: header, the line that says which part it is, rows, trailer. */
export async function* partsOf(
  file: string,
  { header, rows, sha256, signature }: CheckedFile,
  fromLine = 1,
): AsyncGenerator<{ readonly text: string; readonly to: number }> {
  let gathered: string[] = []
  let bytes = 0
  let number = 0
  const close = (to: number) => {
    const from = to - gathered.length + 1
    const before = `${[header, JSON.stringify({ type: 'part', file: sha256, from, signature }), ...gathered].join('\n')}\n`
    const digest = createHash('sha256').update(before).digest('hex')
    const trailer = JSON.stringify({ type: 'trailer', lines: gathered.length + 2, sha256: digest })
    gathered = []
    bytes = 0
    return { text: `${before}${trailer}\n`, to }
  }
  for await (const line of linesIn(file)) {
    if (number > rows) break
    if (number >= fromLine) {
      if (gathered.length > 0 && bytes + line.length > partBytesMax) yield close(number - 1)
      gathered.push(line.toString('utf8'))
      bytes += line.length
    }
    number += 1
  }
  // Also when there is nothing left: the last part is what ends an import.
  yield close(rows)
}

function parse(text: string): { type?: unknown; lines?: unknown; sha256?: unknown; signature?: unknown } | null {
  try {
    return JSON.parse(text) as { type?: unknown }
  } catch {
    return null
  }
}

function invalid(message: string): ColophonError {
  return new ColophonError('import_file_invalid', message)
}
