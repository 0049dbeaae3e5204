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
UninstallDisplayIcon={app}\outrider.exe
OutputDir={#Output}
OutputBaseFilename=outrider-{#Version}-setup
Compression=lzma2
SolidCompression=yes
WizardStyle=modern
; A running Outrider is asked to close before its files are replaced.
CloseApplications=yes

[Files]
Source: "{#Source}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[InstallDelete]
; What an older version had and this one has not must not be imported.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{autoprograms}\Outrider"; Filename: "{app}\outrider.exe"

[Run]
Filename: "{app}\outrider.exe"; Description: "{cm:LaunchProgram,Outrider}"; Flags: nowait postinstall skipifsilent
