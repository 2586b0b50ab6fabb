"""The words that the judges know, by language.

Data only. All is written as `judges.plain` makes it: small letters, no accents, straight apostrophes. An entry is a
word or phrase. A `*` at one end stands for the rest of a word, `~` between blanks for some words, or none; `^` is the
beginning of a sentence and `$` its end.
In scripts that put no blanks between words an entry counts wherever it stands.
"""

from collections.abc import Mapping

Words = Mapping[str, tuple[str, ...]]

VERIFICATION: Words = {
    "en": (
        "test", "tests", "testing", "tested", "retest*", "unittest*", "pytest", "e2e", "verif*", "validat*",
        "check", "checks", "checking", "checked", "recheck*", "typecheck*", "review", "reviews", "reviewing",
        "reviewed", "inspect*", "lint", "linting", "lints", "qa", "audit*", "proofread*", "regression*", "confirm*",
        "try out",
    ),
    "de": (
        "test", "tests", "testen", "teste", "testet", "testlauf*", "getestet", "austesten", "unittest*",
        "komponententest*", "systemtest*", "integrationstest*", "regressionstest*", "lasttest*", "abnahme*",
        "pruf*", "pruef*", "gepruft", "geprueft", "uberpruf*", "ueberpruef*", "nachpruf*", "nachpruef*", "verifi*",
        "validier*", "kontrollier*", "kontrolle", "kontrollen", "endkontrolle", "gegenlesen", "durchsicht",
        "ausprobieren", "begutacht*", "sicherstellen",
    ),
    "fr": (
        "test", "tests", "tester", "teste", "testez", "testons", "verif*", "valider", "validation*", "controler",
        "controle", "controles", "relire", "relecture", "relis", "revue", "recette", "essai", "essais", "essayer",
        "inspect*", "confirm*", "s'assurer",
    ),
    "es": (
        "test", "tests", "testear", "prueba", "pruebas", "probar", "prueb*", "comprob*", "verific*", "revis*",
        "validar", "validacion*", "valida", "cheque*", "inspecc*", "inspeccion*", "confirm*", "control de calidad",
    ),
    "pt": (
        "test", "teste", "testes", "testar", "testa", "verific*", "validar", "validacao", "valida", "revis*",
        "conferir", "confere", "confira", "conferencia", "checar", "checagem", "inspe*", "confirm*",
        "controle de qualidade",
    ),
    "it": (
        "test", "testare", "testa", "verific*", "collaud*", "prova", "prove", "provare", "controllo", "controlli",
        "controllare", "controlla", "validare", "validazione", "revision*", "rivedere", "riesam*", "ispezion*",
        "conferm*",
    ),
    "ru": (
        "тест", "теста", "тесты", "тестов", "тестами", "автотест*", "юнит-тест*", "тестир*", "протестир*",
        "провер*", "перепровер*", "свер*", "верифи*", "валид*", "ревью", "контроль", "контроля", "проконтролир*",
        "испытан*", "испытат*", "убедит*", "отревью*",
    ),
    "zh": (
        "测试", "測試", "自测", "验证", "驗證", "检查", "檢查", "校验", "校驗", "核对", "核對", "核实", "核實",
        "审查", "審查", "审核", "審核", "复查", "覆查", "验收", "驗收", "评审", "評審", "检验", "檢驗", "确认",
        "確認", "试运行",
    ),
    "ja": (
        "テスト", "検証", "確認", "検査", "点検", "レビュー", "試験", "チェック", "見直し", "見直す", "査読",
        "校正", "動かしてみる", "確かめ", "検収", "検品",
    ),
    "ko": (
        "테스트", "검증", "확인", "점검", "검사", "검토", "리뷰", "시험", "체크", "검수", "재확인", "확인하기",
        "돌려 보기", "살펴보기",
    ),
}  # fmt: skip
"""What a task or its phase is called when it looks at what was made."""

ADDRESSED: Words = {
    "en": (
        "should i", "shall i", "shall we", "do you", "would you", "could you", "can you", "will you", "are you",
        "may i", "can i", "want me to", "like me to", "what would you", "which would you", "is that ok",
        "is this ok", "ok with you", "okay with you", "sound good", "does that", "your preference",
    ),
    "de": (
        "soll ich", "sollen wir", "mochtest du", "mochten sie", "willst du", "wollen sie", "darf ich", "kannst du",
        "konnen sie", "konntest du", "konnten sie", "soll das", "hast du", "haben sie", "passt das", "ist das so",
        "was meinst du", "was meinen sie", "bist du", "sind sie",
    ),
    "fr": (
        "dois-je", "puis-je", "voulez-vous", "veux-tu", "souhaitez-vous", "souhaites-tu", "pouvez-vous", "peux-tu",
        "est-ce que je", "est-ce que vous", "est-ce que tu", "preferez-vous", "preferes-tu", "avez-vous", "as-tu",
        "faut-il que je", "qu'en pensez-vous", "qu'en penses-tu", "cela vous", "ca te",
    ),
    "es": (
        "debo", "deberia", "quieres que", "quiere que", "puedo", "puedes", "puede usted", "prefieres", "prefiere",
        "te parece", "le parece", "deseas", "desea", "continuo", "sigo", "quieres", "quiere", "tienes",
        "que opinas",
    ),
    "pt": (
        "devo", "deveria", "posso", "voce quer", "quer que", "gostaria", "voce prefere", "prefere", "pode me",
        "voce pode", "deseja", "continuo", "sigo", "voce tem", "o que acha", "tudo bem se", "quer",
    ),
    "it": (
        "devo", "dovrei", "posso", "vuoi", "vuole", "preferisci", "preferisce", "puoi", "potresti", "ti va",
        "le va", "procedo", "continuo", "desidera", "hai", "che ne pensi", "va bene se", "vuoi che",
    ),
    "ru": (
        "мне", "хотите", "хочешь", "можете", "можешь", "следует ли", "нужно ли", "продолжать ли", "вы", "ты", "вам",
        "тебе", "стоит ли", "согласны", "согласен", "продолжить", "могу ли я", "можно",
    ),
    "zh": (
        "需要我", "要我", "您", "你", "我可以", "我是否", "是否需要", "要不要", "可以吗", "我应该", "我應該",
        "我该", "我該", "好吗", "好嗎", "行吗", "行嗎", "吗", "嗎",
    ),
    "ja": (
        "ましょうか", "でしょうか", "ますか", "ですか", "いいですか", "よろしい", "ご希望", "希望しますか",
        "ませんか", "どちら",
    ),
    "ko": (
        "할까요", "까요", "하시겠", "원하시", "원하나요", "될까요", "괜찮", "어느", "어떤", "드릴까요", "습니까",
        "나요", "가요",
    ),
}  # fmt: skip
"""What makes a question one to the person, wherever in the last words it stands."""

STOP: Words = {
    "en": (
        "^stop$", "^stop here", "^stop there", "^stop after", "^stop when", "^stop once", "^stop at",
        "^stop before", "^stop working", "^stop doing", "^stop what", "^stop until", "^halt$", "^pause$",
        "^pause here", "^pause after", "^wait$", "^wait for me", "^wait until i", "^hold on$", "^hold off$",
        "^hang on$", "^cancel$", "^abort$", "^quit$", "^enough$", "^that's enough$", "^that is enough$",
        "^stop it$", "^stop that$", "^stop this$", "^hold it$", "^pause it$", "^i said stop$", "^you can stop$",
        "^we are done$", "^we're done$", "then pause", "and pause$", "^leave it$", "^leave it there$",
        "^leave it at that$", "^never mind$", "^forget it$", "^no more$",
        "then stop", "stop here$", "stop there$", "and stop$", "do not continue", "don't continue", "do not go on",
        "don't go on", "do not proceed", "don't proceed", "do not do anything else", "don't do anything else",
        "nothing else for today", "call it a day",
    ),
    "de": (
        "^stop$", "^stopp$", "^stoppe$", "^stoppen$", "^halt$", "^halt an$", "^anhalten$", "^warte$", "^warten$",
        "^pause$", "^mach pause$", "^abbrechen$", "^brich ab$", "^abbruch$", "^genug$", "^reicht$", "^das reicht$",
        "^schluss$", "^lass es$", "^lass gut sein$", "^aufhoren$", "hor auf", "hoer auf", "horen sie auf",
        "^nicht weiter",
        "nicht weitermachen", "mach nicht weiter", "machen sie nicht weiter", "nicht fortfahren", "dann stopp*",
        "dann halt*", "dann aufhoren", "dann hor*", "danach aufhoren", "danach stopp*", "feierabend",
    ),
    "fr": (
        "^stop$", "^stoppe$", "^arrete$", "^arretez$", "^arrete-toi", "^arretez-vous", "^arrete tout$",
        "^arretez tout$", "^pause$", "^attends$", "^attendez$", "^annule$", "^annulez$", "^assez$", "^ca suffit$",
        "^cela suffit$", "^laisse tomber", "^laissez tomber", "ne continue pas", "ne continuez pas",
        "n'allez pas plus loin", "ne va pas plus loin", "puis arrete*", "et arrete-toi", "et arretez-vous",
        "arrete-toi la", "arretez-vous la", "on s'arrete la",
    ),
    "es": (
        "^stop$", "^alto$", "^para$", "^pare$", "^detente", "^detengase", "^deten$", "^pausa$", "^espera$",
        "^espere$", "^cancela$", "^cancelar$", "^basta$", "^ya basta$", "^suficiente$", "^es suficiente$",
        "^dejalo", "^dejelo", "no sigas", "no siga", "no continues", "no continue", "luego para$", "y para ahi",
        "luego detente", "y detente", "para ahi", "deja de trabajar", "dejen de trabajar", "hasta aqui",
    ),
    "pt": (
        "^stop$", "^pare$", "^para$", "^pare ai", "^pare aqui", "^para ai", "^para aqui", "^pause$", "^pausa$",
        "^espere$", "^espera$",
        "^aguarde$", "^cancele$", "^cancela$", "^chega$", "^basta$", "^suficiente$", "^deixa pra la",
        "^deixe pra la", "nao continue", "nao continua", "nao prossiga", "nao siga", "depois pare", "e pare$",
        "e depois pare", "pode parar", "por hoje e so",
    ),
    "it": (
        "^stop$", "^ferma$", "^fermati", "^si fermi", "^fermo$", "^alt$", "^pausa$", "^aspetta$", "^aspetti$",
        "^attendi$", "^annulla$", "^basta$", "^basta cosi", "^e abbastanza$", "^abbastanza$", "^lascia stare",
        "^lascia perdere", "^smettila", "^smetti", "non continuare", "non proseguire", "non andare avanti",
        "poi fermati", "e fermati", "fermati qui",
    ),
    "ru": (
        "^стоп$", "^стои$", "^стоите$", "^остановись", "^остановитесь", "^хватит", "^достаточно$", "^довольно$",
        "^подожди$", "^подождите$", "^погоди$", "^пауза$", "^прекрати", "^прекратите", "^отмена$", "^отмени$",
        "^отбои$", "^прервись", "не продолжаи*", "дальше не надо", "не надо дальше", "потом остановись",
        "и остановись", "затем остановись", "на этом все", "больше ничего не делаи*",
    ),
    "zh": (
        "^停$", "^停止$", "^停下", "^停一下", "^暂停", "^暫停", "^先停", "^住手", "^等一下$", "^等等$", "^取消$",
        "^够了$", "^夠了$", "^算了$", "^打住", "别做了", "別做了", "不要做了",
        "^先别", "^先別", "别继续", "別繼續", "不要继续", "不要繼續",
        "别再继续", "不用继续", "不用繼續", "不必继续", "然后停", "然後停", "再停下", "就停下", "到此为止",
        "到此為止", "停止工作",
    ),
    "ja": (
        "^ストップ$", "^止まって", "^止めて", "^やめて", "^停止$", "^停止して", "^中止$", "^中止して", "^中断して",
        "^待って", "^ちょっと待って", "^一旦止", "^もういい$", "^もう十分", "^十分です$", "^そこまで", "^ここまで$",
        "^終了$", "続けないで", "進めないで", "作業を止めて", "作業をやめて", "で止まって", "で止めて",
        "でストップ", "以上で終わり", "今日はここまで",
    ),
    "ko": (
        "^그만", "^멈춰", "^멈추세요", "^멈춰 주세요", "^중지$", "^중지해", "^중단$", "^중단해", "^정지$", "^스톱$",
        "^스탑$", "^잠깐$", "^잠깐만", "^잠시만", "^기다려", "^취소$", "^취소해", "^됐어$", "^됐습니다$", "^충분해",
        "^충분합니다", "계속하지 마", "계속하지마", "진행하지 마", "진행하지마", "에서 멈춰", "까지만 하",
        "하고 멈춰", "하고 그만", "여기까지",
    ),
}  # fmt: skip
"""What a person says who wants the agent to end, now or after what they named."""

NO_STOP: Words = {
    "en": ("don't stop", "do not stop", "never stop", "without stopping", "no need to stop", "don't pause"),
    "de": ("nicht aufhoren", "hor nicht auf", "horen sie nicht auf", "nicht stoppen", "stopp* nicht"),
    "fr": ("n'arrete pas", "n'arretez pas", "ne t'arrete pas", "ne vous arretez pas", "sans t'arreter"),
    "es": ("no pares", "no pare", "no te detengas", "no se detenga", "sin parar"),
    "pt": ("nao pare", "nao para", "nao pares", "sem parar"),
    "it": ("non fermarti", "non ti fermare", "non si fermi", "non smettere", "senza fermarti"),
    "ru": ("не останавливаися", "не останавливаитесь", "не прекращаи", "без остановки"),
    "zh": ("别停", "別停", "不要停", "不用停", "不必停"),
    "ja": ("止めないで", "やめないで", "止まらないで", "中断しないで"),
    "ko": ("멈추지 마", "멈추지 말", "그만두지 마", "중단하지 마"),
}  # fmt: skip
"""What says the opposite, though the word for it is there."""

FILLERS: Words = {
    "en": (
        "please", "pls", "plz", "thx", "ty", "can you", "could you", "would you", "will you", "now", "ok", "okay",
        "thanks", "thank you", "just", "for now", "everything", "right",
        "right away", "immediately", "hey", "no", "all", "it all", "for today", "for a moment", "a moment",
        "a second", "so",
    ),
    "de": (
        "bitte", "jetzt", "mal", "sofort", "danke", "alles", "erst", "erstmal", "erst mal", "ok", "kurz", "nein",
        "fur heute",
    ),
    "fr": (
        "s'il te plait", "s'il vous plait", "maintenant", "merci", "tout de suite", "ok", "un instant", "non",
        "pour l'instant",
    ),
    "es": (
        "por favor", "ahora", "ya", "gracias", "ok", "un momento", "no", "todo", "por ahora", "por hoy",
    ),
    "pt": (
        "por favor", "agora", "obrigado", "obrigada", "ok", "um momento", "nao", "tudo", "por enquanto", "por hoje",
        "ja",
    ),
    "it": (
        "per favore", "ora", "adesso", "subito", "grazie", "ok", "un attimo", "un momento", "no", "tutto",
        "per ora", "per oggi",
    ),
    "ru": (
        "пожалуиста", "сеичас", "спасибо", "ок", "все", "нет", "пока", "немного", "на сегодня", "минуту",
    ),
    "zh": (
        "请", "請", "现在", "現在", "谢谢", "謝謝", "好的", "好了", "吧", "先",
    ),
    "ja": (
        "すぐに", "今すぐ", "とりあえず", "ありがとう", "お願いします",
    ),
    "ko": (
        "제발", "지금", "이제", "감사합니다", "좀", "일단", "바로",
    ),
}  # fmt: skip
"""What may stand around a word for stopping, and changes nothing."""
