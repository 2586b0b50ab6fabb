# ruff: noqa: RUF001 (texts of many scripts)
"""What the judges say, language by language: the texts that are, and those that are not."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from todo_context.attention import asks_the_person, is_verification, says_stop
from todo_context.attention.judges import QUESTION_MARKS, plain
from todo_context.attention.request_words import COURTESIES, REQUESTS
from todo_context.attention.words import ADDRESSED, FILLERS, NO_STOP, STOP, VERIFICATION

LANGUAGES = {"en", "de", "fr", "es", "pt", "it", "ru", "zh", "ja", "ko"}

Rows = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""By language: the texts that are, and the texts that are not."""

ASKS: Rows = {
    "en": (
        (
            "I wired the config. Should I go on with the logger?",
            "Which one do you want?\n\n1. SQLite\n2. Postgres",
            "Would you like me to delete the old file? I can also keep a copy.",
            "The config has two owners. Please confirm which one is right.",
            "Everything is ready. **Shall I push?** 🙂",
            "Continue? (y/n)",
            "I stopped here. Let me know whether the old format has to stay.",
            "Questions:\n- Which port?\n- Which host?",
        ),
        (
            "Done. All tests pass.",
            "Why did it fail? The path was wrong. I mended it.",
            'The dialog now says "Are you sure?".',
            "Now it prints:\n```\nContinue?\n```",
            "I renamed `is_open?` in all places.",
            "Let me know if you have any questions.",
            "See https://example.org/search?q=1",
            "## What changed?\n- the config\n- the logger",
            "> Should I go on?\n\nI went on.",
        ),
    ),
    "de": (
        (
            "Die Konfiguration steht. Soll ich mit dem Logger weitermachen?",
            "Welche Variante passt besser?\n- A\n- B",
            "Darf ich die alte Datei löschen? Sonst bleibt sie liegen.",
            "Bitte bestätige die neue Adresse.",
            "Ich warte auf deine Antwort.",
            "Möchtest du zuerst die Tests sehen?",
        ),
        (
            "Fertig. Alle Tests laufen durch.",
            "Warum war es langsam? Der Index fehlte. Jetzt ist er da.",
            "Der Dialog fragt jetzt „Wirklich löschen?“.",
            "Der Befehl `frage?` ist umbenannt.",
            "Die Aufgabe ist erledigt, es bleibt der Logger.",
        ),
    ),
    "fr": (
        (
            "La configuration est prête. Dois-je continuer ?",
            "Souhaitez-vous garder l’ancien format ? Sinon je le retire.",
            "Merci de confirmer le nom du serveur.",
            "Dites-moi laquelle vous convient.",
            "Quelle version faut-il garder ?\n1. la première\n2. la seconde",
        ),
        (
            "C’est fait. Tous les tests passent.",
            "Pourquoi l’erreur ? Le chemin était faux. C’est corrigé.",
            "La fenêtre affiche « Êtes-vous sûr ? ».",
            "Il reste deux tâches.",
            "J’ai renommé `prêt?` partout.",
        ),
    ),
    "es": (
        (
            "La configuración está lista. ¿Continúo?",
            "¿Quieres que borre el archivo viejo? También puedo guardarlo.",
            "Por favor, confirma el nombre del servidor.",
            "Dime cuál prefieres.",
            "¿Cuál de los dos?\n- SQLite\n- Postgres",
        ),
        (
            "Hecho. Todas las pruebas pasan.",
            "¿Por qué fallaba? La ruta estaba mal. Ya está arreglado.",
            "El diálogo dice «¿Está seguro?».",
            "Quedan dos tareas por hacer.",
            'Cambié el texto a "¿Seguir?".',
        ),
    ),
    "pt": (
        (
            "A configuração está pronta. Posso continuar?",
            "Você quer manter o formato antigo? Se não, eu removo.",
            "Por favor, confirme o nome do servidor.",
            "Me diga qual você prefere.",
            "Qual dos dois?\n1. SQLite\n2. Postgres",
        ),
        (
            "Feito. Todos os testes passam.",
            "Por que falhava? O caminho estava errado. Está corrigido.",
            'A janela mostra "Tem certeza?".',
            "Restam duas tarefas.",
            "Renomeei `pronto?` em todos os arquivos.",
        ),
    ),
    "it": (
        (
            "La configurazione è pronta. Procedo?",
            "Vuoi tenere il vecchio formato? Altrimenti lo tolgo.",
            "Fammi sapere quale preferisci.",
            "Per favore, conferma il nome del server.",
            "Quale dei due?\n- SQLite\n- Postgres",
        ),
        (
            "Fatto. Tutti i test passano.",
            "Perché falliva? Il percorso era sbagliato. Ora va.",
            "La finestra dice «Sei sicuro?».",
            "Restano due compiti.",
            "Ho rinominato `pronto?` ovunque.",
        ),
    ),
    "ru": (
        (
            "Настройка готова. Продолжать?",
            "Хотите оставить старый формат? Иначе я его уберу.",
            "Пожалуйста, подтвердите имя сервера.",
            "Скажите, какой вариант подходит.",
            "Какой из двух?\n1. SQLite\n2. Postgres",
        ),
        (
            "Готово. Все тесты проходят.",
            "Почему падало? Путь был неверный. Исправлено.",
            "Окно показывает «Вы уверены?».",
            "Остались две задачи.",
            "Я переименовал `готово?` везде.",
        ),
    ),
    "zh": (
        (
            "配置已完成。需要我继续吗？",
            "要保留旧格式吗",
            "请确认服务器的名称。",
            "请告诉我选哪一个。",
            "选哪一个？\n1. SQLite\n2. Postgres",
        ),
        (
            "完成了。所有测试都通过。",
            "为什么失败？路径写错了。已经修好。",
            "对话框现在显示「确定吗？」。",
            "还剩两个任务。",
            "我把 `ready?` 都改了名字。",
        ),
    ),
    "ja": (
        (
            "設定が終わりました。続けますか？",
            "続けてもよろしいでしょうか。",
            "どちらにするか教えてください。",
            "サーバー名をご確認ください。",
            "どちらにしますか。\n- SQLite\n- Postgres",
        ),
        (
            "完了しました。テストはすべて通りました。",
            "なぜ失敗したのか？ パスが違っていました。直しました。",
            "画面には「よろしいですか？」と出ます。",
            "残りは二つです。",
            "確かに動きますが、遅いです。",
        ),
    ),
    "ko": (
        (
            "설정이 끝났습니다. 계속할까요?",
            "이전 형식을 그대로 둘까요",
            "서버 이름을 확인해 주세요.",
            "어느 쪽이 좋은지 알려 주세요.",
            "어느 것을 쓸까요?\n1. SQLite\n2. Postgres",
        ),
        (
            "끝났습니다. 모든 테스트가 통과합니다.",
            "왜 실패했을까? 경로가 틀렸습니다. 고쳤습니다.",
            '창에는 "정말 지울까요?"라고 나옵니다.',
            "두 가지 일이 남았습니다.",
            "`ready?`의 이름을 모두 바꿨습니다.",
        ),
    ),
}

HANGS: Rows = {
    "en": (
        (
            "Say the word and I'll start.",
            "The plan is ready. Just say so and I'll go on with the logger.",
            "Ready when you are.",
            "I'll wait for your go-ahead before I touch the schema.",
            "Let me know if you want me to go on with the logger.",
            "Tell me which of the two you prefer.",
            "Once you confirm the name, I'll create the table.",
            "I can start on the migration as soon as you give me access.",
            "If you'd like, I can go on with the logger.",
            "It's up to you.",
            "I won't push anything until you've looked at it.",
            "The next step is yours to choose: SQLite or Postgres. Your call.",
            "The config is wired. I'm waiting for your decision on the format.",
            "If you agree, I'll delete the old table.",
            "Give me the nod and I'll continue.",
            "I'd need the key from you before I can continue.",
            "Over to you.",
        ),
        (
            "I will run the tests when you see the server start.",
            "If you want more detail, see docs/design.md.",
            "The process waits for your shell to exit.",
            "All done. Let me know if you need anything else.",
            "All tests pass. Let me know if you have any questions.",
            "Done. Tell me if you run into any problems.",
            "The server waits until the port is open.",
            "I told the parser to wait for the header.",
            "The dialog now says that the user has to confirm.",
            "The form is sent once the user confirms it.",
            "I renamed the flag when the tests passed.",
            "The call to the server is up to date.",
        ),
    ),
    "de": (
        (
            "Sag einfach Bescheid, dann fange ich an.",
            "Ein Wort genügt, und ich lege los.",
            "Ich warte auf dein Okay, bevor ich das Schema ändere.",
            "Ich kann anfangen, sobald du den Namen bestätigst.",
            "Sobald du zustimmst, lege ich die Tabelle an.",
            "Wenn du möchtest, mache ich mit dem Logger weiter.",
            "Sag mir, welche der beiden Fassungen du willst.",
            "Das liegt bei dir.",
            "Bereit, wenn du es bist.",
            "Geben Sie mir grünes Licht, dann geht es weiter.",
            "Ich mache weiter, wenn du einverstanden bist.",
        ),
        (
            "Wenn du willst, kannst du das Format später ändern.",
            "Alles fertig. Sag Bescheid, wenn du noch etwas brauchst.",
            "Die Tests laufen. Sag mir, wenn du noch Fragen hast.",
            "Lass mich wissen, falls du weitere Fragen hast.",
            "Der Server wartet, bis der Port offen ist.",
            "Der Dienst startet, sobald der Port frei ist.",
            "Ich habe den Text des Dialogs geändert.",
            "Die Prüfung läuft, wenn der Zweig offen ist.",
        ),
    ),
    "fr": (
        (
            "Dites-moi si je dois continuer.",
            "Faites-moi signe et je commence.",
            "J’attends votre feu vert avant de toucher au schéma.",
            "Dès que vous confirmez le nom, je crée la table.",
            "Je peux commencer dès que vous voulez.",
            "Si vous voulez, je continue avec le journal.",
            "À vous de choisir.",
            "Je suis prêt quand vous l’êtes.",
            "Si tu veux que je continue, dis-le.",
            "Je poursuis si vous êtes d’accord.",
        ),
        (
            "Si vous voulez, vous pouvez changer le format plus tard.",
            "Tout est fini. Dites-moi si vous avez besoin d’autre chose.",
            "C’est fait. Faites-moi savoir si vous avez des questions.",
            "Le serveur attend que le port soit ouvert.",
            "Le service démarre dès que le port est libre.",
            "J’ai changé le texte de la fenêtre.",
            "La page s’affiche quand les données sont là.",
        ),
    ),
    "es": (
        (
            "Solo dime y empiezo.",
            "Avísame cuando pueda seguir.",
            "Espero tu visto bueno antes de tocar el esquema.",
            "En cuanto me confirmes el nombre, creo la tabla.",
            "Puedo empezar cuando quieras.",
            "Si quieres, puedo seguir con el registro.",
            "Tú decides.",
            "Estoy listo cuando tú lo estés.",
            "Quedo a la espera de tu respuesta.",
            "Sigo si estás de acuerdo.",
        ),
        (
            "Sigo con el registro.",
            "Todo listo. Avísame si necesitas algo más.",
            "Hecho. Dime si tienes alguna duda.",
            "El servidor espera a que el puerto esté abierto.",
            "El servicio arranca cuando el puerto queda libre.",
            "Cambié el texto del diálogo.",
            "La página se muestra cuando llegan los datos.",
        ),
    ),
    "pt": (
        (
            "É só dizer e eu começo.",
            "Me avise quando eu puder continuar.",
            "Aguardo o seu sinal verde antes de mexer no esquema.",
            "Assim que você confirmar o nome, crio a tabela.",
            "Se quiser, posso continuar com o registro.",
            "Você decide.",
            "Estou pronto quando você estiver.",
            "Fico no aguardo.",
            "Se você quiser que eu continue, me diga.",
            "Continuo se você concordar.",
        ),
        (
            "Agora passo ao registro.",
            "Tudo pronto. Me avise se precisar de mais alguma coisa.",
            "Feito. Me diga se tiver alguma dúvida.",
            "O servidor espera a porta abrir.",
            "O serviço inicia quando a porta fica livre.",
            "Mudei o texto da janela.",
            "A página aparece quando os dados chegam.",
        ),
    ),
    "it": (
        (
            "Basta una parola e comincio.",
            "Dammi il via e procedo.",
            "Resto in attesa della tua conferma.",
            "Appena confermi il nome, creo la tabella.",
            "Se vuoi, posso continuare con il logger.",
            "Decidi tu.",
            "Sono pronto quando lo sei tu.",
            "Fammi sapere se devo continuare.",
            "Se vuoi che continui, dimmelo.",
            "Procedo se sei d'accordo.",
        ),
        (
            "Ora passo al logger.",
            "Tutto fatto. Fammi sapere se ti serve altro.",
            "Fatto. Dimmi se hai domande.",
            "Il server aspetta che la porta sia aperta.",
            "Il servizio parte quando la porta è libera.",
            "Ho cambiato il testo della finestra.",
            "La pagina si vede quando arrivano i dati.",
        ),
    ),
    "ru": (
        (
            "Скажите слово, и я начну.",
            "Жду вашего решения.",
            "Готов начать, когда скажете.",
            "Как только вы подтвердите имя, я создам таблицу.",
            "Если хотите, я продолжу с журналом.",
            "Решать вам.",
            "Жду подтверждения, прежде чем менять схему.",
            "Напишите, какой вариант выбрать.",
            "Если хочешь, чтобы я продолжил, дай знать.",
            "Продолжу, если вы согласны.",
        ),
        (
            "Готово, перехожу к следующему шагу.",
            "Всё готово. Скажите, если нужно что-то ещё.",
            "Готово. Дайте знать, если будут вопросы.",
            "Сервер ждёт, пока откроется порт.",
            "Служба запускается, как только порт свободен.",
            "Я изменил текст окна.",
            "Страница видна, когда приходят данные.",
        ),
    ),
    "zh": (
        (
            "说一声我就开始。",
            "等你确认后我再改表结构。",
            "如果您愿意，我可以继续做日志。",
            "请告诉我是否继续。",
            "由你决定。",
            "准备好了，随时可以开始。",
            "您确认后我就创建表。",
            "请给我一个明确的答复。",
            "如果没问题，我就继续。",
        ),
        (
            "全部测试已通过，接下来处理日志。",
            "全部完成。如有任何问题请告诉我。",
            "做完了。如果还有什么需要，请告诉我。",
            "服务器会等到端口打开。",
            "端口空闲后服务启动。",
            "我改了对话框的文字。",
            "数据到了页面才显示。",
        ),
    ),
    "ja": (
        (
            "一言いただければ始めます。",
            "ご指示をお待ちしています。",
            "ご確認いただけ次第、テーブルを作ります。",
            "よろしければ、ロガーに進みます。",
            "いつでも始められます。",
            "ご希望であれば続けます。",
            "どちらにするか言ってください。",
            "ご判断にお任せします。",
            "問題なければ続けます。",
        ),
        (
            "次はロガーを書きます。",
            "すべて終わりました。他に何かあればお知らせください。",
            "完了です。ご不明な点があれば教えてください。",
            "サーバーはポートが開くまで待ちます。",
            "ポートが空くとサービスが起動します。",
            "ダイアログの文言を変えました。",
            "データが届くと画面に出ます。",
        ),
    ),
    "ko": (
        (
            "말씀만 해 주시면 시작하겠습니다.",
            "승인을 기다리고 있습니다.",
            "이름을 확인해 주시면 테이블을 만들겠습니다.",
            "원하시면 로거를 계속하겠습니다.",
            "언제든지 시작할 수 있습니다.",
            "어느 쪽으로 할지 정해 주세요.",
            "준비되시면 말씀해 주세요.",
            "결정에 따르겠습니다.",
            "괜찮으시면 진행하겠습니다.",
        ),
        (
            "이제 로거를 작성하겠습니다.",
            "모두 끝났습니다. 다른 질문이 있으면 알려 주세요.",
            "완료했습니다. 궁금한 점이 있으면 말씀해 주세요.",
            "서버는 포트가 열릴 때까지 대기합니다.",
            "포트가 비면 서비스가 시작됩니다.",
            "대화 상자의 문구를 바꿨습니다.",
            "데이터가 오면 화면에 나옵니다.",
        ),
    ),
}

CHECKS: Rows = {
    "en": (
        (
            "Run tests",
            "Verify the migration",
            "Check the logs",
            "Review the diff",
            "Lint",
            "run_tests",
            "QA",
            "E2E run",
        ),
        ("Wire config", "Write the latest notes", "Fix the contest page", "Add a checkbox", "Draft the testimony"),
    ),
    "de": (
        ("Tests laufen lassen", "Überprüfen", "Migration prüfen", "Ergebnis kontrollieren", "Abnahme", "pruefen"),
        (
            "Konfiguration anlegen",
            "Neueste Fassung schreiben",
            "Protestbrief entwerfen",
            "Controller bauen",
            "Attest holen",
        ),
    ),
    "fr": (
        ("Lancer les tests", "Vérifier la migration", "Relire le texte", "Contrôler les journaux", "Valider le schéma"),
        ("Écrire la configuration", "Ajouter un contrôleur", "Rédiger le testament", "Porter le journal", "Publier"),
    ),
    "es": (
        ("Ejecutar las pruebas", "Verificar la migración", "Comprobar los registros", "Revisar el cambio", "Probar"),
        ("Escribir la configuración", "Añadir un controlador", "Portar el registro", "Publicar", "Redactar notas"),
    ),
    "pt": (
        ("Rodar os testes", "Verificar a migração", "Conferir os registros", "Revisar a mudança", "Validação final"),
        ("Escrever a configuração", "Adicionar um controlador", "Portar o registro", "Publicar", "Redigir notas"),
    ),
    "it": (
        ("Eseguire i test", "Verificare la migrazione", "Controllare i log", "Collaudo", "Prova finale"),
        (
            "Scrivere la configurazione",
            "Aggiungere il controller",
            "Portare il logger",
            "Pubblicare",
            "Nuovo approvvigionamento",
        ),
    ),
    "ru": (
        ("Запустить тесты", "Проверить миграцию", "Сверка журналов", "Ревью изменений", "Протестировать"),
        ("Написать настройки", "Добавить контроллер", "Письмо протеста", "Перенести журнал", "Опубликовать"),
    ),
    "zh": (
        ("运行测试", "验证迁移", "检查日志", "核对结果", "驗收"),
        ("编写配置", "添加控制器", "移植日志模块", "发布", "写说明"),
    ),
    "ja": (
        ("テストを実行する", "移行を検証する", "ログを確認", "差分のレビュー", "動作チェック"),
        ("設定を書く", "コントローラーを足す", "ロガーを移す", "公開する", "説明を書く"),
    ),
    "ko": (
        ("테스트 실행", "마이그레이션 검증", "로그 확인", "변경 사항 검토", "점검"),
        ("설정 작성", "컨트롤러 추가", "로거 옮기기", "배포", "설명 쓰기"),
    ),
}

STOPS: Rows = {
    "en": (
        (
            "stop",
            "Stop, please!",
            "ok, stop now",
            "Do the first task, then stop.",
            "Stop after the second one.",
            "wait",
            "That's enough for now.",
            "Please do not continue with the rest.",
        ),
        (
            "Stop the server before the migration.",
            "Fix the bug that makes the app stop.",
            "Don't stop.",
            "Add a stop button and a pause button",
            "Never mind the old format, port the logger",
            "Write about `stop`",
            "Cancel the subscription in the test data",
            'Make it print "stop"',
        ),
    ),
    "de": (
        (
            "Stopp!",
            "Bitte aufhören",
            "Warte mal",
            "Mach erst die Konfiguration und hör auf.",
            "Nicht weitermachen.",
            "Das reicht jetzt",
        ),
        (
            "Stoppe den Server vor der Migration.",
            "Baue eine Pause-Taste ein.",
            "Der Dienst hört auf zu senden, bitte beheben.",
            "Mach weiter.",
            "Halte die Liste kurz.",
        ),
    ),
    "fr": (
        (
            "Arrête",
            "Arrêtez, s'il vous plaît",
            "Attends un instant",
            "Ne continue pas.",
            "Fais la première, puis arrête-toi.",
        ),
        (
            "Arrête le serveur avant la migration.",
            "Ajoute un bouton pause.",
            "Continue.",
            "L'application s'arrête, corrige-la.",
            "Annule la commande du client.",
        ),
    ),
    "es": (
        ("Para", "Espera un momento", "Basta ya", "No sigas, por favor.", "Haz la primera y detente."),
        (
            "Para el servidor antes de migrar.",
            "Añade un botón de pausa.",
            "Sigue.",
            "Escribe notas para el equipo.",
            "Espera a que arranque y mide.",
        ),
    ),
    "pt": (
        ("Pare", "Espere um momento", "Chega por hoje", "Não continue, por favor.", "Faça a primeira e depois pare."),
        (
            "Pare o servidor antes de migrar.",
            "Adicione um botão de pausa.",
            "Continue.",
            "Escreva notas para a equipe.",
            "Cancele o pedido do cliente.",
        ),
    ),
    "it": (
        ("Fermati", "Aspetta un attimo", "Basta così", "Non continuare, per favore.", "Fai la prima, poi fermati."),
        (
            "Ferma il server prima di migrare.",
            "Aggiungi un pulsante di pausa.",
            "Continua.",
            "Annulla l'ordine del cliente.",
            "Scrivi le note.",
        ),
    ),
    "ru": (
        ("Стоп!", "Подожди, пожалуйста", "Хватит на сегодня", "Не продолжай.", "Сделай первую и остановись."),
        (
            "Добавь кнопку «пауза».",
            "Останови сервер перед миграцией.",
            "Продолжай.",
            "Приложение падает, исправь.",
            "Отмени заказ клиента.",
        ),
    ),
    "zh": (
        ("停", "请停下", "先别做了", "做完第一个就停下", "不要继续了"),
        ("迁移前停止服务器", "加一个暂停按钮", "继续", "修复应用停止的问题", "取消客户的订单"),
    ),
    "ja": (
        ("ストップ", "ちょっと待って", "もう十分です", "続けないでください", "最初のだけやって、そこで止めて"),
        (
            "移行の前にサーバーを停止する",
            "一時停止ボタンを足して",
            "続けて",
            "アプリが止まるのを直して",
            "注文を取り消す機能を書いて",
        ),
    ),
    "ko": (
        ("그만", "잠깐만요", "멈춰 주세요", "계속하지 마세요", "첫 번째만 하고 멈춰"),
        (
            "이전 전에 서버를 중지하는 단계를 넣어",
            "일시정지 버튼을 추가해",
            "계속해",
            "앱이 멈추는 문제를 고쳐",
            "고객의 주문을 취소하는 기능",
        ),
    ),
}


def rows(tables: Rows) -> Iterator[Any]:
    for language, (yes, no) in tables.items():
        for text in yes:
            yield pytest.param(text, True, id=f"{language} yes: {text[:30]}")
        for text in no:
            yield pytest.param(text, False, id=f"{language} no: {text[:30]}")


@pytest.mark.parametrize(("text", "asks"), list(rows(ASKS)))
def test_an_answer_asks_the_person(text: str, asks: bool) -> None:
    assert asks_the_person(text) is asks


@pytest.mark.parametrize(("text", "is_check"), list(rows(CHECKS)))
def test_a_task_is_a_check(text: str, is_check: bool) -> None:
    assert is_verification(text) is is_check


@pytest.mark.parametrize(("text", "stops"), list(rows(STOPS)))
def test_the_person_says_to_stop(text: str, stops: bool) -> None:
    assert says_stop(text) is stops


SAID_OTHERWISE = (
    "stop it|please stop it|pls stop|can you stop?|could you please stop|I said stop|Stop, I want to review it first."
    "|Stop - thanks|stop 🙂|thx, stop|hold it|we're done for today|after the first task, stop"
    "|just the first one, then pause|Hoer auf|deja de trabajar|para aí|别做了"
)


@pytest.mark.parametrize("text", SAID_OTHERWISE.split("|"))
def test_politeness_and_marks_around_a_stop_change_nothing(text: str) -> None:
    assert says_stop(text)


@pytest.mark.parametrize(
    "text",
    [
        "Don't stop here",
        "Do not stop there",
        "never stop here",
        "Hör nicht auf",
        "n'arrête pas",
        "no pares",
        "non fermarti",
        "不要停",
        "не останавливайся",
        "やめないで",
        "멈추지 마",
        "Use the stop button, then test it",
    ],
)
def test_the_opposite_is_no_stop(text: str) -> None:
    assert not says_stop(text)


@pytest.mark.parametrize(("text", "hangs"), list(rows(HANGS)))
def test_the_next_step_hangs_on_what_the_person_says(text: str, hangs: bool) -> None:
    assert asks_the_person(text) is hangs


@pytest.mark.parametrize("tables", [ASKS, HANGS, CHECKS, STOPS], ids=["asks", "hangs", "checks", "stops"])
def test_each_language_has_ten_rows_and_both_answers(tables: Rows) -> None:
    assert set(tables) == LANGUAGES
    assert all(len(yes) >= 5 and len(no) >= 5 for yes, no in tables.values())


@pytest.mark.parametrize("words", [VERIFICATION, ADDRESSED, REQUESTS, COURTESIES, STOP, NO_STOP, FILLERS])
def test_the_tables_are_written_as_texts_are_read(words: Mapping[str, tuple[str, ...]]) -> None:
    """An entry in another spelling would never be found."""
    assert set(words) == LANGUAGES
    assert [entry for each in words.values() for entry in each if plain(entry) != entry] == []
    assert all(len(set(each)) == len(each) for each in words.values())


@pytest.mark.parametrize("mark", QUESTION_MARKS)
def test_every_question_mark_ends_a_question(mark: str) -> None:
    assert asks_the_person(f"Kto {mark}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Πρέπει να συνεχίσω;", id="Greek, the mark of its own script being a semicolon"),
        pytest.param("Շարունակե՞մ։", id="Armenian, inside the word"),
        pytest.param("هل أتابع؟", id="Arabic"),
        pytest.param("ልቀጥል፧", id="Ethiopic"),
        pytest.param("Kontynuować?", id="Polish, which has no table"),
    ],
)
def test_a_question_of_a_language_without_a_table_is_known_by_its_mark(text: str) -> None:
    assert asks_the_person(text)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        pytest.param("What more could one want?", True, id="a rhetorical question at the very end counts"),
        pytest.param("int a; int b;", False, id="a semicolon is no Greek question"),
        pytest.param("", False, id="nothing"),
        pytest.param("???", True, id="marks alone"),
        pytest.param("```\nShall I?", False, id="a code block that never ends"),
        pytest.param("Shall I go on?\n```sh\nmake run\n```", True, id="code after the question"),
        pytest.param("“Shall I go on?”", False, id="a quotation and nothing else"),
        pytest.param("Do you want both?\n\nI left all as it was.", True, id="a paragraph above the last"),
        pytest.param("Do you want both?\n\nNo.\n\nIt is done.", False, id="two paragraphs above the last"),
    ],
)
def test_what_counts_as_the_end(text: str, asks: bool) -> None:
    assert asks_the_person(text) is asks


@pytest.mark.parametrize("judge", [asks_the_person, is_verification, says_stop])
@pytest.mark.parametrize(
    "text",
    [
        "a" * 50_000,
        "? " * 20_000,
        "```" * 10_000,
        '"' * 20_000,
        "(" * 20_000,
        "- a?\n" * 10_000,
        "stop " * 10_000,
        "„" * 20_000,
        "「" * 20_000,
        "a." * 20_000,
        "~~~\n```\n" * 5_000,
        "i'll once " * 5_000,
        "if you want " * 5_000,
    ],
)
def test_a_long_text_takes_no_square_of_time(judge: Callable[[str], bool], text: str) -> None:
    judge(text)
