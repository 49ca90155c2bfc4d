import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stemOf } from './stem.ts'

/** One pair for every rule of the published algorithm, in its order. */
const pairs = `
caresses caress; ponies poni; ties tie; cries cri; gas gas; this this; gaps gap; kiwis kiwi; viruses virus; dress dress;
agreed agre; feed feed; luxuriated luxuri; hopping hop; hoping hope; sized size; falling fall; hissing hiss; filing file;
failing fail; troubled troubl; sing sing; cry cri; by by; say say; happy happi; conditional condit; rational ration;
valency valenc; hesitancy hesit; digitizer digit; radically radic; differently differ; vilely vile; analogously analog;
vietnamization vietnam; predication predic; operator oper; feudalism feudal; decisiveness decis; hopefulness hope;
callousness callous; formality formal; sensitivity sensit; sensibility sensibl; apology apolog; homologist homolog; fearlessly fearless;
triplicate triplic; formative format; formalize formal; electricity electr; electrical electr; hopeful hope; goodness good;
revival reviv; allowance allow; inference infer; airliner airlin; gyroscopic gyroscop; adjustable adjust; defensible defens;
irritant irrit; replacement replac; adjustment adjust; dependent depend; adoption adopt; communism communism; activate activ;
homologous homolog; effective effect; bowdlerize bowdler; probate probat; rate rate; cease ceas; controll control; roll roll;
generously generous; generic generic; communication communic; universities universiti; organization organiz; arsenal arsenal;
skis ski; skies sky; dying die; gently gentl; news news; inning inning; succeed succeed; proceeds proceed; boy boy; boyish boyish; youth youth;
saying say; flies fli; abilities abil; knack knack; knitting knit; exceedingly exceed; herring herring; bed bed; bedding bed`

for (const pair of pairs.trim().split(/;\s*/)) {
  const [word = '', stem = ''] = pair.split(' ')
  test(`${word} has the stem ${stem}`, () => assert.equal(stemOf(word), stem))
}

test('irregular forms have the stem of their base form', () => {
  for (const [form, word] of [
    ['went', 'going'],
    ['bought', 'buys'],
    ['children', 'child'],
    ['taught', 'teaching'],
    ['mom', 'mother'],
  ])
    assert.equal(stemOf(form as string), stemOf(word as string))
})

test('numbers and words of other languages are unchanged', () => {
  for (const word of ['2023', 'größe', 'мир', 'a1b2', '']) assert.equal(stemOf(word), word)
})
