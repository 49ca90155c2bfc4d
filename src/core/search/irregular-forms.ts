/** Irregular word forms that the stemmer cannot reduce. Ambiguous forms ("saw", "rose", "leaves") are left out. */
const groups = `
arise arose arisen; awake awoke awoken; be am is are was were been being; beat beaten; become became; begin began begun; bend bent;
bite bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought;
catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; do does did done; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
get got gotten; give gave given; go goes went gone; grow grew grown; hang hung; have has had; hear heard; hide hid hidden; hold held;
keep kept; kneel knelt; know knew known; lay laid; lead led; lean leant; leap leapt; learn learnt; lend lent; light lit; lose lost;
make made; mean meant; meet met; mistake mistook mistaken; overcome overcame; pay paid; prove proven; ride rode ridden; ring rang;
rise risen; run ran; say said; see seen; seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone;
show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; speed sped;
spell spelt; spend spent; spin spun; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck;
strive strove striven; swear swore sworn; sweep swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught;
tear tore torn; tell told; think thought; throw threw thrown; understand understood; undertake undertook undertaken; wake woke woken;
wear wore worn; weave wove woven; weep wept; win won; withdraw withdrew withdrawn; write wrote written;
child children; foot feet; goose geese; man men; mouse mice; person people; tooth teeth; woman women; wife wives; knife knives;
half halves; shelf shelves; wolf wolves; loaf loaves; thief thieves; scarf scarves; calf calves; crisis crises; analysis analyses;
thesis theses; hypothesis hypotheses; diagnosis diagnoses; criterion criteria; phenomenon phenomena; curriculum curricula; cactus cacti;
mother mom mum mommy mummy mama; father dad daddy papa; grandmother grandma granny; grandfather grandpa; bad worse worst;
2 two; 3 three; 4 four; 5 five; 6 six; 7 seven; 8 eight; 9 nine; 10 ten; 11 eleven; 12 twelve; 13 thirteen; 14 fourteen;
15 fifteen; 16 sixteen; 17 seventeen; 18 eighteen; 19 nineteen; 20 twenty; 30 thirty; 40 forty; 50 fifty; 60 sixty; 70 seventy;
80 eighty; 90 ninety; 100 hundred; 1000 thousand; february feb; august aug; september sept; october oct; november nov; december dec;
television tv; photo photograph pic; bicycle bike; telephone phone; refrigerator fridge`

/** The base form of each irregular form. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  groups.split(';').flatMap((group) => {
    const [base = '', ...forms] = group.trim().split(/\s+/)
    return forms.map((form) => [form, base] as const)
  }),
)
