; Inno Setup's recipe for the Windows installer; package.py gives Version, Source (PyInstaller's folder), Icon and Output.

[Setup]
; Never changes: by it a newer version finds the older one.
AppId={{6B0E1F0C-5C0B-4C53-9C6B-3C7F6F1B7A52}
AppName=Outrider
AppVersion={#Version}
AppVerName=Outrider {#Version}
VersionInfoVersion={#Version}
DefaultDirName={autopf}\Outrider
DefaultGroupName=Outrider
DisableProgramGroupPage=yes
; For one user, without an administrator's password.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
; Windows 10 1809 and later, which have or can have WebView2.
MinVersion=10.0.17763
LicenseFile=..\..\LICENSE
SetupIconFile={#Icon}
UninstallDisplayIcon={app}\outriderw.exe
OutputDir={#Output}
OutputBaseFilename=outrider-{#Version}-setup
Compression=lzma2
SolidCompression=yes
WizardStyle=modern
; What a running Outrider holds (start.py): neither an installation nor a removal goes on before it is closed.
AppMutex=Outrider-6B0E1F0C-5C0B-4C53-9C6B-3C7F6F1B7A52
; New terminals are told of the PATH.
ChangesEnvironment=yes

[Tasks]
Name: "path"; Description: "Add the command outrider to the PATH (for terminals)"
Name: "webview2"; Description: "Download and install Microsoft's WebView2 Runtime, which draws the window and is missing here"; Check: WebViewMissing

[Files]
Source: "{#Source}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[InstallDelete]
; What an older version had and this one has not must not be imported. The user's data lies elsewhere, and nothing here names it.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{autoprograms}\Outrider"; Filename: "{app}\outriderw.exe"

[Run]
Filename: "{app}\outriderw.exe"; Description: "{cm:LaunchProgram,Outrider}"; Flags: nowait postinstall skipifsilent

[Code]
const
  WebViewClient = 'EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}';
  { Microsoft's evergreen bootstrapper, at the address that its documentation gives. }
  WebViewAddress = 'https://go.microsoft.com/fwlink/p/?LinkId=2124703';
  WebViewSetup = 'MicrosoftEdgeWebview2Setup.exe';
  UsersEnvironment = 'Environment';
  MachinesEnvironment = 'SYSTEM\CurrentControlSet\Control\Session Manager\Environment';

function IsThere(Root: Integer; Key: String): Boolean;
var
  Version: String;
begin
  Result := RegQueryStringValue(Root, Key, 'pv', Version) and (Version <> '') and (Version <> '0.0.0.0');
end;

function WebViewMissing: Boolean;
begin
  Result := not (
    IsThere(HKCU, 'SOFTWARE\Microsoft\' + WebViewClient) or
    IsThere(HKLM, 'SOFTWARE\WOW6432Node\Microsoft\' + WebViewClient) or
    IsThere(HKLM, 'SOFTWARE\Microsoft\' + WebViewClient));
end;

{ Without it Outrider is installed all the same: its start then says what is missing. }
procedure InstallWebView;
var
  Status: Integer;
begin
  try
    DownloadTemporaryFile(WebViewAddress, WebViewSetup, '', nil);
    if not Exec(ExpandConstant('{tmp}\') + WebViewSetup, '/silent /install', '', SW_HIDE, ewWaitUntilTerminated, Status) then
      Log('WebView2 Runtime: its installer did not start');
  except
    Log('WebView2 Runtime: ' + GetExceptionMessage);
  end;
end;

function EnvironmentRoot: Integer;
begin
  if IsAdminInstallMode then Result := HKLM else Result := HKCU;
end;

function EnvironmentKey: String;
begin
  if IsAdminInstallMode then Result := MachinesEnvironment else Result := UsersEnvironment;
end;

{ The PATH without our folder, however often it was there. }
function WithoutOurFolder(Path: String): String;
begin
  Result := ';' + Path + ';';
  StringChangeEx(Result, ';' + ExpandConstant('{app}') + ';', ';', True);
  while Copy(Result, 1, 1) = ';' do Delete(Result, 1, 1);
  while Copy(Result, Length(Result), 1) = ';' do Delete(Result, Length(Result), 1);
end;

procedure SetPath(WithOurs: Boolean);
var
  Before, After: String;
begin
  if not RegQueryStringValue(EnvironmentRoot, EnvironmentKey, 'Path', Before) then Before := '';
  After := WithoutOurFolder(Before);
  if WithOurs then
    if After = '' then After := ExpandConstant('{app}') else After := After + ';' + ExpandConstant('{app}');
  { Somebody else's PATH is left as it is, down to its last semicolon. }
  if WithOurs or (Pos(';' + ExpandConstant('{app}') + ';', ';' + Before + ';') > 0) then
    RegWriteExpandStringValue(EnvironmentRoot, EnvironmentKey, 'Path', After);
end;

procedure CurStepChanged(Step: TSetupStep);
begin
  if Step = ssPostInstall then
  begin
    SetPath(WizardIsTaskSelected('path'));
    if WizardIsTaskSelected('webview2') then InstallWebView;
  end;
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if Step = usPostUninstall then SetPath(False);
end;
