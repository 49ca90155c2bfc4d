import type { LanguageData } from './language-data.ts'

/** English has its own stemmer (`stem.ts`), stop words (`stop-words.ts`) and thesaurus. */
export const english: LanguageData = {
  code: 'en',
  stopWords: '',
  compounds: {
    links: '',
    parts: `
air baby bag ball band bar base basket bath beach bed bird birth board boat body book box boy break breast brush butter card chair child class clock coat coffee cook
cup day desk dog door drop eye farm father field fighter fire fish flower fly foot friend fruit game girl glass grand ground guard hair hand head heart hill home house jacket key
knife lace lady land light line lip mail maker man mark mate moon mother mower news night note nut paper park pass phone pick place plane play pool pot rain road room
saver school sea seat shine ship shirt shoe shop side sister skate sky snow song spoon stand star station step stick stone storm story strawberry suit sun swim table taker tape teacher team
tennis time tooth town track trip vacuum walk wall watch water way week weight wheel wind window wife woman wood work worker yard year`,
  },
  nicknames: `
robert bob bobby rob robbie; william bill billy will liam; richard rick rich dick richie; james jim jimmy jamie; john jack johnny; jonathan jon jonny; edward ed eddie ted ned; charles charlie chuck;
thomas tom tommy; michael mike mikey mick; christopher chris topher; matthew matt; daniel dan danny; joseph joe joey; david dave davy; anthony tony; steven steve stephen; andrew andy drew;
kenneth ken kenny; gregory greg; timothy tim timmy; lawrence larry; jeffrey jeff; samuel sam sammy; benjamin ben benny; patrick pat paddy; alexander alex xander; nicholas nick nicky; nathaniel nate nathan;
zachary zach zack; joshua josh; frederick fred freddie; henry harry hank; theodore theo ted teddy; albert al bert; leonard leo lenny; philip phil; raymond ray; ronald ron; donald don; gerald gerry jerry;
vincent vince; walter walt; peter pete; douglas doug; stanley stan; elizabeth liz lizzie beth betty eliza; margaret maggie meg peggy; katherine catherine kate kathy katie cathy kat; jennifer jen jenny; jessica jess jessie;
rebecca becky becca; deborah deb debbie; susan sue susie; patricia pat patty tricia trish; victoria vicky tori; christina christine chris tina; stephanie steph; melanie mel; melissa mel missy; samantha sam sammy;
alexandra alex sandra lexi; abigail abby; amanda mandy; barbara barb; cynthia cindy; dorothy dot dottie; eleanor ellie nell; florence flo; gabrielle gabby; isabella bella izzy; jacqueline jackie; josephine jo josie;
joanna jo; judith judy; kimberly kim; madeline maddie; michelle shelly; nancy nan; olivia liv livvy; pamela pam; penelope penny; sarah sally; teresa terry tess; theresa terry tess; veronica ronnie; virginia ginny; caroline carrie caro`,
  aliasPhrases:
    ', called; is called; was called; also called; known as; is known as; also known as; better known as; nicknamed; aka; a.k.a.; goes by; who goes by; short for; whom friends call; whom everyone calls',
}
