import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../limits.ts'
import { examineSentences, inferCommitments } from './infer.ts'
import { asserts, mayAssert, statementTerms, textTerms } from './statement.ts'

/** A Tuesday, half past eleven in Berlin. */
const spokenAt = Date.parse('2026-11-17T10:30:00Z')

function read(text: string, timezone = 'Europe/Berlin'): string {
  const found = inferCommitments(text, { spokenAt, timezone })
  return found.map((item) => (item.kind === 'time' ? new Date(item.dueAt).toISOString() : item.statement)).join(' | ')
}

const friday = '2026-11-20T08:00:00.000Z'

test('a reminder is due at the time that it names, seen from when it was said', () => {
  const due: Readonly<Record<string, string>> = {
    'Remind me on Friday to call Ana.': friday,
    'remind me on Friday': friday,
    'Please remind me this Friday about the rent.': friday,
    'user: remind me on Friday to call.': friday,
    'On Friday, remind me to send the report.': friday,
    'Remind me to call Ana on Friday.': friday,
    'Remind me on Tuesday to call.': '2026-11-24T08:00:00.000Z',
    'Please remind me in two weeks to renew the passport.': '2026-12-01T10:30:00.000Z',
    'Remind me in 5 minutes to stop.': '2026-11-17T10:35:00.000Z',
    'Remind me in a month to pay.': '2026-12-17T10:30:00.000Z',
    'Remind me tomorrow at 9 that the plumber comes.': '2026-11-18T08:00:00.000Z',
    'Can you remind me to water the plants tomorrow at 7pm?': '2026-11-18T18:00:00.000Z',
    'Remind me the day after tomorrow at noon to eat.': '2026-11-19T11:00:00.000Z',
    'Remind me today at 18:30 to leave.': '2026-11-17T17:30:00.000Z',
    'Remind me on 3 March about the tax.': '2027-03-03T08:00:00.000Z',
    "Don't let me forget to call Ana on March 3rd, 2027.": '2027-03-03T08:00:00.000Z',
    'Remind me on 2027-07-01 to pack.': '2027-07-01T07:00:00.000Z',
    'Erinnere mich am Freitag daran, Ana anzurufen.': friday,
    'Kannst du mich am Freitag daran erinnern, Ana anzurufen?': friday,
    'Bitte erinnere mich in zwei Wochen an den Pass.': '2026-12-01T10:30:00.000Z',
    'Erinnere mich morgen um 9 Uhr an den Termin.': '2026-11-18T08:00:00.000Z',
    'Erinnere mich am 3. März an die Steuer.': '2027-03-03T08:00:00.000Z',
    'Erinnere mich am 3.3.2027 um 14:15 Uhr an die Steuer.': '2027-03-03T13:15:00.000Z',
  }
  for (const [text, at] of Object.entries(due)) assert.equal(read(text), at, text)
})

test('nothing is inferred where two readings are possible, or none', () => {
  for (const text of [
    'Remind me next Friday to call.',
    'Remind me about the meeting on Friday.',
    'Remind me every Friday to call.',
    'Remind me to call Ana every Friday.',
    'Remind me to pay by Friday.',
    'Remind me on Friday or Saturday.',
    'Remind me tomorrow at 3 to call.',
    'Remind me on Friday morning.',
    'Remind me on 31 February to laugh.',
    'Remind me today at 8 to call.',
    'Remind me tomorrow at 25:00.',
    'Remind me to book a table on Friday for 3 March.',
    'Remind me on 3/4 to call.',
    'Remind me to call Ana.',
    'Ana said: remind me on Friday to call.',
    '"Remind me on Friday", she said.',
    "Don't remind me on Friday.",
    'Did you remind me on Friday?',
    'I was reminded on Friday.',
    'Erinnere mich daran, Ana am Freitag anzurufen.',
    'Erinnere mich nächsten Freitag an Ana.',
    'Erinnere mich jeden Freitag an Ana.',
    'Erinnere mich morgen früh an Ana.',
    'Tell Ana when the meeting is.',
    'When it arrives, tell Ana.',
    'If the invoice is paid, tell Ana.',
    'When the invoice is not paid, tell Ana.',
    'When will the invoice be paid, tell me?',
    'Whenever the invoice is paid, tell Ana.',
    'Sag Ana, wenn die Rechnung bezahlt ist.',
  ])
    assert.equal(read(text), '', text)
})

test('a condition is a statement that can become true', () => {
  for (const text of [
    'When the invoice is paid, tell Ana.',
    'Once the invoice is paid, please notify the team.',
    'Let me know when the invoice is paid.',
    'Please tell Ana as soon as the invoice is paid.',
  ])
    assert.equal(read(text), 'the invoice is paid', text)
  for (const text of [
    'Wenn die Rechnung bezahlt ist, sag Ana Bescheid.',
    'Sobald die Rechnung bezahlt ist, benachrichtige Ana.',
    'Sag Ana Bescheid, sobald die Rechnung bezahlt ist.',
  ])
    assert.equal(read(text), 'die Rechnung bezahlt ist', text)
})

test('the clock of the time zone decides, also where it changes', () => {
  assert.equal(read('Remind me on Friday to call.', 'UTC'), '2026-11-20T09:00:00.000Z')
  assert.equal(read('Remind me on Friday to call.', 'America/New_York'), '2026-11-20T14:00:00.000Z')
  // Clocks go forward on 28 March 2027: half past two does not exist, and nine o'clock is an hour earlier.
  assert.equal(read('Remind me on 28 March at 9:00 to call.'), '2027-03-28T07:00:00.000Z')
  assert.equal(read('Remind me on 28 March at 02:30 to call.'), '2027-03-28T01:30:00.000Z')
})

test('a text asserts a statement if one sentence has its words, and says that it is so', () => {
  const paid = statementTerms('the invoice is paid') ?? assert.fail()
  for (const text of ['The invoice was paid today.', 'Good news! Our invoice has been paid', 'paid: invoice 7'])
    assert.equal(asserts(text, paid), true, text)
  for (const text of [
    'The invoice is not paid.',
    "The invoice isn't paid.",
    'Is the invoice paid?',
    'The invoice will be paid soon.',
    'When the invoice is paid, tell Ana.',
    'The invoice is open. Ana was paid.',
    'The invoice must be paid.',
  ])
    assert.equal(asserts(text, paid), false, text)
  const bezahlt = statementTerms('die Rechnung bezahlt ist') ?? assert.fail()
  assert.equal(asserts('Die Rechnung wurde gestern bezahlt.', bezahlt), true)
  assert.equal(asserts('Die Rechnung ist noch nicht bezahlt.', bezahlt), false)
  assert.equal(statementTerms('it is so'), null)
})

test('a limited number of sentences is examined, and only those that have words of a rule', () => {
  const many = Array.from({ length: limits.commitmentSentencesPerEntryMax + 9 }, (_, n) => `Remind me a${n}.`).join(' ')
  const examined = [...examineSentences(many, { spokenAt, timezone: 'UTC' })]
  assert.equal(examined.length, limits.commitmentSentencesPerEntryMax)
  const plain = 'The weather is fine. '.repeat(limits.commitmentSentencesPerEntryMax + 9)
  assert.equal(read(`${plain} Remind me on Friday to call.`), friday)
})

test('each occurrence of a sentence counts for itself: quoted after a colon, and said', () => {
  assert.equal(read('Ana wrote: remind me on Friday. Later she left. remind me on Friday.'), friday)
})

// Quadratic time would be most of a minute for this one.
test('a long line of dots is read in linear time', { timeout: 20_000 }, () => {
  assert.equal(read(`Remind me ${'.'.repeat(60_000)}x`), '')
})

test('the quick look at the words of a text misses no text that asserts, and a long text is compared up to the limit', () => {
  const paid = statementTerms('the invoice is paid') ?? assert.fail('it has words')
  const piece = fc.constantFrom(
    'The invoice',
    'invoices',
    'was paid',
    'not',
    '. ',
    ': ',
    '\n',
    'l’invoice',
    ' 1,000 ',
    'ü',
    '発注',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join(' ')
      if (asserts(text, paid)) assert.ok(mayAssert(textTerms(text), paid), text)
    }),
  )
  const says = 'The invoice was paid.'
  const filler = 'x '.repeat(limits.commitmentComparedCharactersMax / 2)
  assert.equal(mayAssert(textTerms(says + filler), paid) && asserts(says + filler, paid), true)
  assert.equal(mayAssert(textTerms(filler + says), paid) || asserts(filler + says, paid), false)
})
