// Forgets a person: a dry run, the erasure, and a receipt that can be verified without a server.
import { createClient } from '../src/client/index.ts'
import { verifyReceipt } from '../src/index.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const colophon = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const ref = 'examples/meeting'

await colophon.memory.put(ref, { content: 'Ada prefers tea.', subject: 'example-guest' })
await colophon.memory.put(ref, { content: 'Bob prefers coffee.', subject: 'example-host' })

const request = { subject: 'example-guest', reason: 'request 4711' }
console.log('Would go:', (await colophon.forget.dryRun(request)).counts.entries, 'entry')

const { id } = await colophon.forget.request(request)
for await (const { content } of colophon.memory.each(ref)) console.log('Hidden at once. Left:', content)

let forget = await colophon.forget.get(id)
while (forget.status !== 'completed') forget = await colophon.forget.get(id)

const { publicKey } = await colophon.forget.signingKey()
console.log('The receipt is', verifyReceipt(forget.receipt, publicKey))
const tampered = { ...forget.receipt, cascade: false }
console.log('A changed one is', verifyReceipt(tampered, publicKey))

// Prints:
// Would go: 1 entry
// Hidden at once. Left: Bob prefers coffee.
// The receipt is { ok: true }
// A changed one is { ok: false, problem: 'The receipt was changed after it was signed.' }
