// Starts `lockstep lsp` and hands it the settings; all the rest is vscode-languageclient's.
const { commands, window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const LANGUAGES = ["cuda-cpp", "opencl", "ptx"];
const SETTINGS = ["inlayHints", "proofs", "fixes", "delay", "compileCommands", "arguments"];
/** @type {LanguageClient | undefined} */
let client;

function settings() {
    const all = workspace.getConfiguration("lockstep");
    return Object.fromEntries(SETTINGS.map((name) => [name, all.get(name)]));
}

async function start() {
    const command = workspace.getConfiguration("lockstep").get("path") || "lockstep";
    client = new LanguageClient(
        "lockstep",
        "Lockstep",
        { command, args: ["lsp"], transport: TransportKind.stdio },
        {
            documentSelector: LANGUAGES.map((language) => ({ language })),
            initializationOptions: settings(),
            synchronize: { fileEvents: workspace.createFileSystemWatcher("**/{.lockstep.toml,compile_commands.json}") },
        });
    try {
        await client.start();
    } catch (error) {
        window.showErrorMessage(`Lockstep: '${command} lsp' cannot be started: ${error instanceof Error ? error.message : error}. ` +
                                "Install it, or set lockstep.path.");
    }
}

/** @param {import("vscode").ExtensionContext} context */
exports.activate = async function (context) {
    context.subscriptions.push(
        commands.registerCommand("lockstep.restart", async () => { await client?.stop(); await start(); }),
        workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration("lockstep.path")) commands.executeCommand("lockstep.restart");
            else if (event.affectsConfiguration("lockstep"))
                client?.sendNotification("workspace/didChangeConfiguration", { settings: { lockstep: settings() } });
        }));
    await start();
};

exports.deactivate = () => client?.stop();
