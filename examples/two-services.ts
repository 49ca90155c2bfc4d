// Two services disagree about the same person. Which one wins, why, and what the other one stated.
import { createClient } from '../src/client/index.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const colophon = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const person = 'example-ada'

// The settings page has more authority than the chat.
await colophon.writers.create({ service_key: 'example-chat', authority_rules: { default_priority: 40 } })
await colophon.writers.create({ service_key: 'example-settings', authority_rules: { default_priority: 90 } })

async function send(service: string, event_id: string, content: string): Promise<void> {
  const { job_id } = await colophon.memories.add({
    external_user_id: person,
    infer: false,
    messages: [{ role: 'user', content, category: 'preference', claim_key: 'ui.theme' }],
    source: { service, event_id },
  })
  await colophon.memories.wait(job_id)
}
await send('example-settings', 'save-17', 'Ada prefers dark mode.')
await send('example-chat', 'chat-42', 'Ada prefers light mode.') // later, with less authority
const [claim] = (await colophon.claims.list({ subject: person })).claims
for (const { status, content, priority, services } of claim?.contents ?? [])
  console.log(`${status}: ${content} (${services.join(', ')}, authority ${priority})`)

const [winner] = (await colophon.memories.list({ external_user_id: person })).data
const [source] = (await colophon.memories.sources(winner?.id ?? '')).data
console.log(`It is current because of event ${source?.event_id} of ${source?.service}.`)

// Prints:
// active: Ada prefers dark mode. (example-settings, authority 90)
// superseded: Ada prefers light mode. (example-chat, authority 40)
// It is current because of event save-17 of example-settings.
